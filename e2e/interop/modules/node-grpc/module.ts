/**
 * A module on plain grpc-js, as an author without any SDK would write it from the protocol alone:
 *
 *   WIRE=wire.binpb node module.ts ADDRESS [--log-level=LEVEL] [--tcp-mode]
 *
 * Models: `acme:bare:probe` (a sensor that can fail in every way, see faults.ts), `acme:bare:motor` (on pins of a board
 * of the machine) and `acme:bare:counter` (its own API).
 */
import {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  status,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { Counter, counterService } from './counter.ts';
import { failAtStart, failOnCommand, garbage, has } from './faults.ts';
import { reflection } from './reflection.ts';
import {
  fromStruct,
  methodOf,
  Refusal,
  serviceOf,
  toStruct,
  toValue,
  unary,
  type Fields,
  type Struct,
} from './wire.ts';

interface ResourceConfig {
  readonly name: string;
  readonly api: string;
  readonly model: string;
  readonly attributes: Struct | null;
  readonly log_configuration: { readonly level: string } | null;
}

interface ResourceRequest {
  readonly config: ResourceConfig;
  readonly dependencies: readonly string[];
}

interface Named {
  readonly name: string;
}

interface Command extends Named {
  readonly command: Struct | null;
}

interface Probe {
  readonly kind: 'probe';
  value: number;
  reconfigured: number;
  isGarbage: boolean;
  logLevel: string;
}

interface Motor {
  readonly kind: 'motor';
  readonly board: string;
  readonly pin: string;
  power: number;
}

interface Counting {
  readonly kind: 'counter';
  readonly counter: Counter;
}

type Instance = Probe | Motor | Counting;

const CALL_LIMIT_MS = 10_000;
/** First two parts of its models. */
const family = process.env['FAMILY'] ?? 'acme:bare';
const counterName = 'acme.service.counter.v1.CounterService';
const models: Readonly<Record<string, { readonly service: string; readonly model: string }>> = {
  'rdk:component:sensor': { service: 'viam.component.sensor.v1.SensorService', model: `${family}:probe` },
  'rdk:component:motor': { service: 'viam.component.motor.v1.MotorService', model: `${family}:motor` },
  'acme:service:counter': { service: counterName, model: `${family}:counter` },
};

const [address = ''] = process.argv.slice(2);
/** By full name: `rdk:component:motor/left`. */
const instances = new Map<string, Instance>();
let parent: Client | undefined;

function instance<K extends Instance['kind']>(api: string, name: string, kind: K): Extract<Instance, { kind: K }> {
  const found = instances.get(`${api}/${name}`);
  if (found?.kind !== kind) throw new Refusal(status.NOT_FOUND, `this module has no ${api}/${name}`);
  return found as Extract<Instance, { kind: K }>;
}

/** The headers of a call that belong to its trace, for the calls that it makes (W3C Trace Context). */
function traceOf(received: Metadata): Metadata {
  const metadata = new Metadata();
  for (const key of ['traceparent', 'tracestate']) {
    for (const value of received.get(key)) metadata.add(key, value);
  }
  return metadata;
}

function callParent<Q, A>(service: string, method: string, request: Q, metadata = new Metadata()): Promise<A> {
  const { path, requestSerialize, responseDeserialize } = methodOf<Q, A>(service, method);
  return new Promise((resolve, reject) => {
    if (parent === undefined) throw new Refusal(status.UNAVAILABLE, 'the machine has not said where it is');
    const options = { deadline: Date.now() + CALL_LIMIT_MS };
    parent.makeUnaryRequest<Q, A>(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      options,
      (error, answer) => (error === null ? resolve(answer as A) : reject(error)),
    );
  });
}

/** The text of the problem, or the names of the instance's required dependencies. */
function check(config: ResourceConfig): readonly string[] {
  const attributes = fromStruct(config.attributes);
  if (config.model === `${family}:motor`) {
    for (const key of ['board', 'pin']) {
      if (typeof attributes[key] !== 'string' || attributes[key] === '') {
        throw new Refusal(status.INVALID_ARGUMENT, `"${key}" is required: the name of the ${key} the motor is on`);
      }
    }
    return [String(attributes['board'])];
  }
  if (
    config.model === `${family}:probe` &&
    attributes['value'] !== undefined &&
    typeof attributes['value'] !== 'number'
  ) {
    throw new Refusal(status.INVALID_ARGUMENT, `"value" must be a number, not ${JSON.stringify(attributes['value'])}`);
  }
  return [];
}

async function build(config: ResourceConfig): Promise<Instance> {
  const attributes = fromStruct(config.attributes);
  const delayMs = Number(attributes['slow_ms'] ?? 0);
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  if (typeof attributes['refuse'] === 'string') throw new Refusal(status.FAILED_PRECONDITION, attributes['refuse']);
  switch (config.model.slice(family.length + 1)) {
    case 'probe':
      return {
        kind: 'probe',
        value: Number(attributes['value'] ?? 0),
        reconfigured: 0,
        isGarbage: false,
        logLevel: config.log_configuration?.level ?? '',
      };
    case 'motor':
      return { kind: 'motor', board: String(attributes['board']), pin: String(attributes['pin']), power: 0 };
    case 'counter':
      return { kind: 'counter', counter: new Counter(Number(attributes['start'] ?? 0)) };
    default:
      throw new Refusal(status.INVALID_ARGUMENT, `this module has no model ${config.model}`);
  }
}

async function setPower(motor: Motor, power: number, metadata?: Metadata): Promise<void> {
  const request = { name: motor.board, pin: motor.pin, duty_cycle_pct: Math.abs(power) };
  await callParent('viam.component.board.v1.BoardService', 'SetPWM', request, metadata);
  motor.power = power;
}

async function close(full: string): Promise<void> {
  const closing = instances.get(full);
  if (closing === undefined) throw new Refusal(status.NOT_FOUND, `this module has no ${full}`);
  instances.delete(full);
  if (closing.kind === 'motor') await setPower(closing, 0);
  if (closing.kind === 'counter') closing.counter.stop();
}

const moduleService = {
  Ready: unary<{ parent_address: string }, object>(async ({ parent_address: at }) => {
    parent ??= new Client(at.startsWith('/') ? `unix:${at}` : at, credentials.createInsecure());
    await callParent('viam.robot.v1.RobotService', 'ResourceNames', {});
    if (has('never-ready')) return { ready: false };
    if (has('garbage-ready')) return { garbage };
    if (has('dies-after-ready')) setTimeout(() => process.exit(9), 100);
    const handlers = Object.entries(models).map(([api, { service, model }]) => {
      const [namespace = '', type = '', subtype = ''] = api.split(':');
      return { subtype: { subtype: { namespace, type, subtype, name: '' }, proto_service: service }, models: [model] };
    });
    return { ready: true, handlermap: { handlers } };
  }),
  ValidateConfig: unary<{ config: ResourceConfig }, object>(({ config }) => ({ dependencies: check(config) })),
  AddResource: unary<ResourceRequest, object>(async ({ config, dependencies }) => {
    const missing = check(config).filter(
      (name) => !dependencies.some((full) => full === name || full.endsWith(`/${name}`)),
    );
    if (missing.length > 0)
      throw new Refusal(status.FAILED_PRECONDITION, `${missing.join(', ')}: not among the dependencies`);
    instances.set(`${config.api}/${config.name}`, await build(config));
    return {};
  }),
  ReconfigureResource: unary<ResourceRequest, object>(async ({ config }) => {
    const attributes = fromStruct(config.attributes);
    if (attributes['crash_on_reconfigure'] === true) process.kill(process.pid, 'SIGKILL');
    const full = `${config.api}/${config.name}`;
    const present = instances.get(full);
    check(config);
    if (present?.kind === 'probe') {
      present.value = Number(attributes['value'] ?? 0);
      present.reconfigured += 1;
    } else {
      await close(full);
      instances.set(full, await build(config));
    }
    return {};
  }),
  RemoveResource: unary<Named, object>(async ({ name }) => {
    await close(name);
    return {};
  }),
};

async function command(fields: Fields): Promise<Fields> {
  const outcome = await failOnCommand(fields);
  if (outcome !== undefined) return outcome;
  if (Array.isArray(fields['env'])) {
    return Object.fromEntries((fields['env'] as string[]).map((name) => [name, process.env[name] ?? null]));
  }
  if (fields['argv'] === true) return { argv: process.argv.slice(2), cwd: process.cwd() };
  if (typeof fields['log'] === 'string') {
    const time = { seconds: Math.floor(Date.now() / 1_000), nanos: 0 };
    const entry = { level: fields['level'], time, logger_name: 'probe', message: fields['log'] };
    await callParent('viam.robot.v1.RobotService', 'Log', { logs: [entry] });
    return {};
  }
  return fields;
}

const doCommand = unary<Command, object>(async (request) => ({
  result: toStruct(await command(fromStruct(request.command))),
}));
let calls = 0;

const sensorService = {
  GetReadings: unary<Named, object>(({ name }) => {
    const probe = instance('rdk:component:sensor', name, 'probe');
    if (probe.isGarbage) return { garbage };
    calls += 1;
    const readings = {
      value: probe.value,
      reconfigured: probe.reconfigured,
      logLevel: probe.logLevel,
      pid: process.pid,
      calls,
    };
    return { readings: Object.fromEntries(Object.entries(readings).map(([key, value]) => [key, toValue(value)])) };
  }),
  DoCommand: unary<Command, object>(async ({ name, command: asked }) => {
    const fields = fromStruct(asked);
    if (fields['garbage'] === true) instance('rdk:component:sensor', name, 'probe').isGarbage = true;
    return { result: toStruct(await command(fields)) };
  }),
};

const motorOf = ({ name }: Named): Motor => instance('rdk:component:motor', name, 'motor');

const motorService = {
  SetPower: unary<Named & { power_pct: number }, object>(async (request, { metadata }) => {
    await setPower(motorOf(request), request.power_pct, traceOf(metadata));
    return {};
  }),
  Stop: unary<Named, object>(async (request) => {
    await setPower(motorOf(request), 0);
    return {};
  }),
  IsPowered: unary<Named, object>((request) => {
    const { power } = motorOf(request);
    return { is_on: power !== 0, power_pct: power };
  }),
  IsMoving: unary<Named, object>((request) => ({ is_moving: motorOf(request).power !== 0 })),
  GetProperties: unary<Named, object>(() => ({ position_reporting: false })),
  DoCommand: doCommand,
};

/** Lets a handler answer with bytes that are not a valid message. */
function corruptible(service: ServiceDefinition): ServiceDefinition {
  const methods = Object.entries(service).map(([name, method]) => {
    const responseSerialize = (value: object): Buffer =>
      'garbage' in value ? (value.garbage as Buffer) : (method.responseSerialize as (value: object) => Buffer)(value);
    return [name, { ...method, responseSerialize }];
  });
  return Object.fromEntries(methods) as ServiceDefinition;
}

/** Logged at the end: instances stopped earlier are not included. */
function lastWords(): string {
  const turning = [...instances].filter(([, one]) => one.kind === 'motor' && one.power !== 0).map(([name]) => name);
  return `ends with ${turning.length} turning motors`;
}

if (failAtStart(address, lastWords)) {
  const server = new Server();
  server.addService(corruptible(serviceOf('viam.module.v1.ModuleService')), moduleService);
  server.addService(corruptible(serviceOf('viam.component.sensor.v1.SensorService')), sensorService);
  server.addService(serviceOf('viam.component.motor.v1.MotorService'), motorService);
  server.addService(
    serviceOf(counterName),
    counterService((name) => instance('acme:service:counter', name, 'counter').counter),
  );
  server.addService(serviceOf('grpc.reflection.v1alpha.ServerReflection'), reflection([counterName]));
  const target = process.argv.includes('--tcp-mode') ? address : `unix:${address}`;
  server.bindAsync(target, ServerCredentials.createInsecure(), (error) => {
    if (error === null) return;
    process.stderr.write(`ERROR ${error.message}\n`);
    process.exit(1);
  });
}
