import { describe, expect, expectTypeOf, it } from 'vitest';
import { ManualClock, systemClock } from '../base/clock.ts';
import { ArmatureError } from '../base/errors.ts';
import type { Peer } from '../rpc/peer/peer.ts';
import { attributeProblems } from './check-attributes.ts';
import { typedSchema, type FromSchema } from './attribute-types.ts';
import { buildForTest } from './build-for-test.ts';
import { defineApi } from './custom-api.ts';
import { LogForwarder } from './server/log-forwarder.ts';
import { defineModel } from './model.ts';
import { lineOf, ModuleLogger, type ModuleLogEntry } from './server/module-logger.ts';
import { moduleAddress, readModuleOptions } from './server/module-options.ts';
import { GIVE_UP_MS, Parent, type CallParent } from './server/parent.ts';
import { counterDescriptors } from './testing/counter-descriptors.ts';

describe('attributes', () => {
  const schema = {
    type: 'object',
    properties: {
      pin: { type: 'string' },
      mode: { enum: ['slow', 'fast'] },
      limits: { type: 'array', items: { type: 'number' } },
      wire: { oneOf: [{ type: 'string' }, { type: 'object', required: ['a'], properties: { a: { type: 'string' } } }] },
    },
    required: ['pin'],
    additionalProperties: false,
  } as const;

  it.each([
    [{ pin: '1', mode: 'fast', limits: [1, 2], wire: { a: 'x' } }, []],
    [{}, ['"pin" is missing.']],
    [
      { pin: 1, mode: 'fsat' },
      ['pin is 1: it takes text in double quotes.', 'mode is "fsat": it takes slow, fast (did you mean fast?).'],
    ],
    [{ pin: '1', limits: [1, 'x'] }, ['limits[1] is "x": it takes a number.']],
    [{ pin: '1', color: 2 }, ['color: the model has no such attribute; it has pin, mode, limits, wire.']],
    [{ pin: '1', wire: 7 }, ['wire is 7: it has none of the forms allowed.']],
  ])('%j: %j', async (attributes, problems) => {
    expect(await attributeProblems(schema, attributes)).toEqual(problems);
  });

  it('have the type that their schema says', () => {
    expectTypeOf<FromSchema<typeof schema>>().toMatchTypeOf<{
      readonly pin: string;
      readonly mode?: 'slow' | 'fast';
      readonly limits?: readonly number[];
    }>();
    const typed = typedSchema<{ readonly wires: 2 | 4 }>({ type: 'object' });
    expectTypeOf<FromSchema<typeof typed>>().toEqualTypeOf<{ readonly wires: 2 | 4 }>();
    expect(typed.type).toBe('object');
    defineModel({
      api: 'core:component:sensor',
      model: 'a:b:c',
      attributes: schema,
      build: ({ attributes }) => {
        expectTypeOf(attributes.mode).toEqualTypeOf<'slow' | 'fast' | undefined>();
        return { readings: async () => ({ pin: attributes.pin }) };
      },
    });
    // @ts-expect-error -- a sensor has to have readings
    defineModel({ api: 'core:component:sensor', model: 'a:b:c', build: () => ({}) });
  });
});

describe('what an author defines', () => {
  const build = () => ({ doCommand: async () => ({}) });

  it('is refused where its names are none', () => {
    expect(() => defineModel({ api: 'core:component:generic', model: 'b:c', build })).toThrow('model is "b:c"; write');
    const api = {
      api: 'acme:component:counter',
      service: 'acme.counter.v1.CounterService',
      descriptors: counterDescriptors,
    };
    expect(() => defineApi({ ...api, api: 'counter', handlers: {} })).toThrow('api is "counter"; write');
    expect(() => defineApi({ ...api, service: 'acme.Counter', handlers: {} })).toThrow(
      'have no service "acme.Counter"',
    );
    expect(() => defineApi({ ...api, handlers: { Add: () => ({}) } })).toThrow(
      'no method for the handler "Add"; it has add, watch, sum, follow, reset.',
    );
    expect(() => defineApi({ ...api, service: 'acme.counter.v1.LostService', handlers: {} })).toThrow(
      'Field 1 of acme.counter.v1.Nameless, the request of Find, has to be a string',
    );
    expect(
      defineApi({ ...api, descriptors: Buffer.from(counterDescriptors).toString('base64'), handlers: {} }).api,
    ).toBe('acme:component:counter');
  });

  it('is built for a test with stand-ins for what it depends on, and with nothing else', async () => {
    const model = defineModel({
      api: 'core:component:generic',
      model: 'a:b:c',
      build: ({ dependency, optionalDependency }) => ({
        doCommand: async () => ({}),
        sensor: dependency('core:component:sensor', 'warm'),
        spare: optionalDependency('core:component:sensor', 'spare'),
      }),
    });
    const warm = { readings: async () => ({ celsius: 1 }) };
    const built = await buildForTest(model, { dependencies: { 'core:component:sensor/warm': warm } });
    expect(await built.sensor.readings()).toEqual({ celsius: 1 });
    expect(built.spare).toBeUndefined();
    await expect(buildForTest(model)).rejects.toThrow(
      '"test" was not given core:component:sensor/warm; it was given none.',
    );
  });
});

describe('how a machine starts a module', () => {
  it.each([
    ['/tmp/x/module.sock', { kind: 'unix', path: '/tmp/x/module.sock' }],
    ['unix:/tmp/a', { kind: 'unix', path: '/tmp/a' }],
    ['unix:///tmp/a', { kind: 'unix', path: '/tmp/a' }],
    ['127.0.0.1:4000', { kind: 'tcp', host: '127.0.0.1', port: 4000 }],
    ['[::1]:4000', { kind: 'tcp', host: '::1', port: 4000 }],
    ['localhost:70000', { kind: 'unix', path: 'localhost:70000' }],
  ])('the address %s', (text, address) => {
    expect(moduleAddress(text, false)).toEqual(address);
  });

  it('reads the words and the variables, and names what is wrong', () => {
    expect(readModuleOptions(['/s', '--log-level=WARNING', '--own'], { VIAM_MODULE_NAME: 'acme' })).toEqual({
      address: { kind: 'unix', path: '/s' },
      logLevel: 'warn',
      name: 'acme',
      hasParent: true,
    });
    expect(readModuleOptions([], { SVC_MODULE_ADDRESS: '/s', VIAM_NO_MODULE_PARENT: 'true' })).toMatchObject({
      logLevel: 'info',
      hasParent: false,
    });
    expect(() => readModuleOptions(['--tcp-mode'], {})).toThrow('This is a module of a machine');
    expect(() => readModuleOptions(['/s', '--tcp-mode'], {})).toThrow('"/s" is no address; with --tcp-mode');
    expect(() => readModuleOptions(['/s', '--log-level=loud'], {})).toThrow(
      '--log-level is "loud"; it takes debug, info',
    );
  });
});

describe('the log of a module', () => {
  it('hands on what is at its level, in names and lines that machines read', () => {
    const entries: ModuleLogEntry[] = [];
    const logger = new ModuleLogger(
      'acme',
      'warn',
      () => 0,
      (entry) => void entries.push(entry),
    );
    logger.info('not this');
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    logger.child('deep').error('this', { count: 1n, error: new Error('bad'), circle, none: undefined, not: NaN });
    expect(entries).toHaveLength(1);
    const line = lineOf(entries[0]!);
    expect(line).toMatch(/^ERROR acme\.deep: this \{"count":"1","error":"Error: bad/);
    expect(line).toContain('"circle":"[no JSON]","none":"undefined","not":"NaN"}\n');
  });

  it('keeps what is said before the machine is there, and prints what it does not take', async () => {
    const printed: string[] = [];
    const sent: string[] = [];
    const forwarder = new LogForwarder((line) => void printed.push(line));
    const entry = (message: string): ModuleLogEntry => ({ time: 0, level: 'info', logger: 'a', message, fields: {} });
    for (let line = 0; line < 1_001; line++) forwarder.write(entry(`early ${line}`));
    expect(printed).toEqual(['INFO a: early 1000\n']);
    const call = (async (_service: unknown, _method: unknown, { logs }: { logs: { message: string }[] }) => {
      const { message } = logs[0]!;
      if (message === 'early 500') throw new ArmatureError('resource.not_ready', 'busy');
      sent.push(message);
      return {};
    }) as unknown as CallParent;
    forwarder.connect(call);
    await forwarder.flush(systemClock, 5_000);
    expect(sent).toHaveLength(999);
    expect(printed).toEqual(['INFO a: early 1000\n', 'INFO a: early 500\n']);
    forwarder.write(entry('late'));
    expect(printed.at(-1)).toBe('INFO a: late\n');
  });
});

describe('the machine of a module', () => {
  /** A machine whose connections the test can cut. */
  function machine(clock: ManualClock) {
    const events: string[] = [];
    let cut: (reason: string) => void = () => undefined;
    const state = { isThere: true, answers: true };
    const open = async (): Promise<Peer> => {
      if (!state.isThere) throw new ArmatureError('peer.unreachable', 'nobody listens');
      let isClosed = false;
      const listeners: ((reason: string) => void)[] = [];
      cut = (reason) => {
        isClosed = true;
        for (const listener of listeners) listener(reason);
      };
      return {
        start(path, _metadata, _timeoutMs, responder) {
          events.push(path);
          if (state.answers) void responder.message(new Uint8Array(), true);
          const status = state.answers ? { code: 0, message: '' } : { code: 14, message: 'no' };
          queueMicrotask(() => responder.end(status as never, {}));
          return { message: () => undefined, halfClose: () => undefined, cancel: () => undefined };
        },
        get isClosed() {
          return isClosed;
        },
        onClose(listener) {
          listeners.push(listener);
          return () => undefined;
        },
        close: (reason) => cut(reason),
      };
    };
    const parent = new Parent({
      open,
      clock,
      moduleName: 'acme',
      onLost: (reason) => events.push(`lost: ${reason}`),
      onBack: () => events.push('back'),
      onGone: (reason) => events.push(`gone: ${reason}`),
    });
    return { parent, events, state, cut: (reason: string) => cut(reason) };
  }
  const ask = '/viam.robot.v1.RobotService/ResourceNames';
  const address = { kind: 'unix', path: '/p' } as const;
  /** Lets everything run that is ready. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('is asked in the spelling of the field, and not ready where it does not answer', async () => {
    const { parent, events, state } = machine(new ManualClock());
    state.answers = false;
    await expect(parent.connect(address)).rejects.toThrow('The machine does not answer its module: no');
    state.answers = true;
    await parent.connect(address);
    await parent.connect(address);
    expect(events).toEqual([ask, ask]);
  });

  it('is told of as lost at once, comes back, and is gone after its time', async () => {
    const clock = new ManualClock();
    const { parent, events, state, cut } = machine(clock);
    await parent.connect(address);
    cut('killed');
    expect(events.at(-1)).toBe('lost: killed');
    clock.advance(1_000);
    await settled();
    expect(events.at(-1)).toBe('back');

    state.isThere = false;
    cut('killed again');
    for (let second = 0; second < GIVE_UP_MS / 1_000; second++) {
      expect(events.at(-1)).toBe('lost: killed again');
      clock.advance(1_000);
      await settled();
    }
    expect(events.at(-1)).toBe('gone: killed again');
  });

  it('that hangs is as good as gone', async () => {
    const clock = new ManualClock();
    const { parent, events, state } = machine(clock);
    await parent.connect(address);
    state.answers = false;
    clock.advance(10_000);
    await settled();
    expect(events.at(-1)).toBe('lost: the machine did not answer: no');
  });
});
