import {
  CredentialsType,
  type AuthConfig,
  type AuthHandlerConfig,
  type CloudConfig,
  type ComponentConfig,
  type JobConfig,
  type ModuleConfig,
  type NetworkConfig,
  type ProcessConfig,
  type RemoteConfig,
  type RobotConfig,
  type ServiceConfig,
} from '../../../proto/gen/core/app/v1/robot.ts';
import { parseFullName, parseTriplet } from '../../../proto/config/names.ts';
import { readJsonText } from '../../../proto/config/text/json-text.ts';
import type { Dialect } from '../../base/dialect.ts';
import { namespaceIn, tripletIn } from '../../base/dialect.ts';
import { revisionOf } from '../../base/revision.ts';
import { frameOf } from './frame.ts';
import { LooseObject } from '../../base/loose-object.ts';

const credentialTypes: Readonly<Record<string, CredentialsType>> = {
  __internal: CredentialsType.INTERNAL,
  'api-key': CredentialsType.API_KEY,
  'robot-secret': CredentialsType.ROBOT_SECRET,
  'robot-location-secret': CredentialsType.ROBOT_LOCATION_SECRET,
};
/** Signal numbers of Linux. */
const signals: Readonly<Record<string, number>> = { HUP: 1, INT: 2, QUIT: 3, ABRT: 6, KILL: 9, TERM: 15 };

export interface RobotConfigOptions {
  readonly cloud: CloudConfig;
  /** API keys of the hub for `auth.handlers`, which are merged with those in the text. */
  readonly apiKeys: Readonly<Record<string, unknown>>;
  readonly dialect: Dialect;
}

/**
 * Converts a stored text to the message that machines of the public ecosystem fetch. It leaves out entries that are not
 * objects, and disabled ones, because only our own machines know `disabled`. The machine reports other errors.
 */
export function robotConfigOf(text: string, { cloud, apiKeys, dialect }: RobotConfigOptions): RobotConfig {
  const root = new LooseObject(readJsonText(text === '' ? '{}' : text).root?.value);
  const resource = (entry: LooseObject): Omit<ComponentConfig, 'frame'> => ({
    name: entry.text('name'),
    namespace: namespaceIn(entry.text('namespace'), dialect),
    type: entry.text('type'),
    api: tripletIn(entry.text('api'), dialect),
    model: tripletIn(entry.text('model'), dialect),
    dependsOn: entry.texts('depends_on').map((name) => tripletIn(name, dialect)),
    attributes: entry.struct('attributes'),
    serviceConfigs: serviceConfigsOf(entry),
    logConfiguration: logConfigurationOf(entry),
  });
  const running = (key: string): LooseObject[] => root.objects(key).filter((entry) => !entry.flag('disabled'));
  return {
    cloud,
    remotes: root.objects('remotes').map(remoteOf),
    components: running('components').map((entry): ComponentConfig => ({
      ...resource(entry),
      frame: entry.has('frame') ? frameOf(entry.object('frame')) : undefined,
    })),
    processes: root.objects('processes').map(processOf),
    services: running('services').map((entry): ServiceConfig => resource(entry)),
    network: root.has('network') ? networkOf(root.object('network')) : undefined,
    auth: authOf(root.object('auth'), apiKeys),
    debug: root.has('debug') ? root.flag('debug') : undefined,
    modules: running('modules').map(moduleOf),
    disablePartialStart: root.has('disable_partial_start') ? root.flag('disable_partial_start') : undefined,
    packages: root.objects('packages').map((entry) => ({
      name: entry.text('name'),
      package: entry.text('package'),
      version: entry.text('version'),
      type: entry.text('type'),
      status: statusOf(entry),
    })),
    overwriteFragmentStatus: root.objects('overwrite_fragment_status').map((entry) => ({ error: entry.text('error') })),
    enableWebProfile: root.flag('enable_web_profile'),
    log: root.objects('log').map((entry) => ({ pattern: entry.text('pattern'), level: entry.text('level') })),
    revision: root.text('revision') || revisionOf(text),
    maintenance: maintenanceOf(root, dialect),
    disableLogDeduplication: root.flag('disable_log_deduplication'),
    jobs: root.objects('jobs').map(jobOf),
    tracing: root.has('tracing') ? tracingOf(root.object('tracing')) : undefined,
  };
}

function serviceConfigsOf(entry: LooseObject): ComponentConfig['serviceConfigs'] {
  return entry
    .objects('service_configs')
    .map((one) => ({ type: one.text('type'), attributes: one.struct('attributes') }));
}

function logConfigurationOf(entry: LooseObject): ComponentConfig['logConfiguration'] {
  return entry.has('log_configuration') ? { level: entry.object('log_configuration').text('level') } : undefined;
}

function statusOf(entry: LooseObject): { error: string } | undefined {
  return entry.has('status') ? { error: entry.object('status').text('error') } : undefined;
}

function remoteOf(entry: LooseObject): RemoteConfig {
  const auth = entry.object('auth');
  const credentials = auth.object('credentials');
  return {
    name: entry.text('name'),
    address: entry.text('address'),
    frame: entry.has('frame') ? frameOf(entry.object('frame')) : undefined,
    auth: !entry.has('auth')
      ? undefined
      : {
          credentials: { type: credentialsTypeOf(credentials.text('type')), payload: credentials.text('payload') },
          entity: auth.text('entity'),
        },
    managedBy: entry.text('managed_by'),
    insecure: entry.flag('insecure'),
    connectionCheckInterval: entry.duration('connection_check_interval'),
    reconnectInterval: entry.duration('reconnect_interval'),
    serviceConfigs: serviceConfigsOf(entry),
    secret: entry.text('secret'),
    prefix: entry.text('prefix'),
  };
}

function processOf(entry: LooseObject): ProcessConfig {
  const signal = entry.text('stop_signal').toUpperCase().replace(/^SIG/, '');
  return {
    id: entry.text('id'),
    name: entry.text('name'),
    args: entry.texts('args'),
    cwd: entry.text('cwd'),
    oneShot: entry.flag('one_shot'),
    log: entry.flag('log'),
    stopSignal: signals[signal] ?? (/^\d{1,2}$/.test(signal) ? Number(signal) : 0),
    stopTimeout: entry.duration('stop_timeout'),
    env: entry.textMap('env'),
    username: entry.text('username'),
  };
}

function networkOf(network: LooseObject): NetworkConfig {
  return {
    fqdn: network.text('fqdn'),
    bindAddress: network.text('bind_address'),
    tlsCertFile: network.text('tls_cert_file'),
    tlsKeyFile: network.text('tls_key_file'),
    sessions: network.has('sessions')
      ? { heartbeatWindow: network.object('sessions').duration('heartbeat_window') }
      : undefined,
    trafficTunnelEndpoints: network.objects('traffic_tunnel_endpoints').map((entry) => ({
      port: entry.integer('port'),
      connectionTimeout: entry.duration('connection_timeout'),
    })),
    noTls: network.flag('no_tls'),
  };
}

/** One handler for each type. API keys in the text are merged with those of the hub, and take precedence. */
function authOf(auth: LooseObject, apiKeys: Readonly<Record<string, unknown>>): AuthConfig {
  const handlers = auth.objects('handlers').map((entry): AuthHandlerConfig => ({
    type: credentialsTypeOf(entry.text('type')),
    config: entry.struct('config'),
  }));
  const own = handlers.find(({ type }) => type === CredentialsType.API_KEY);
  const others = handlers.filter((handler) => handler !== own);
  const ids = new Set([...keyIdsOf(apiKeys), ...keyIdsOf(own?.config ?? {})]);
  const merged = { ...apiKeys, ...own?.config, keys: [...ids] };
  return {
    handlers: ids.size === 0 ? others : [{ type: CredentialsType.API_KEY, config: merged }, ...others],
    tlsAuthEntities: auth.texts('tls_auth_entities'),
    externalAuthConfig: auth.has('external_auth_config')
      ? { jwks: { json: auth.object('external_auth_config').struct('jwks') } }
      : undefined,
  };
}

function keyIdsOf(config: Readonly<Record<string, unknown>>): string[] {
  return new LooseObject(config).texts('keys');
}

function credentialsTypeOf(type: string): CredentialsType {
  return credentialTypes[type] ?? CredentialsType.UNSPECIFIED;
}

function moduleOf(entry: LooseObject): ModuleConfig {
  return {
    name: entry.text('name'),
    path: entry.text('executable_path'),
    logLevel: entry.text('log_level'),
    type: entry.text('type'),
    moduleId: entry.text('module_id'),
    env: entry.textMap('env'),
    status: statusOf(entry),
    firstRunTimeout: entry.duration('first_run_timeout'),
    tcpMode: entry.flag('tcp_mode'),
  };
}

function maintenanceOf(root: LooseObject, dialect: Dialect): RobotConfig['maintenance'] {
  if (!root.has('maintenance')) return undefined;
  const maintenance = root.object('maintenance');
  const name = parseFullName(tripletIn(maintenance.text('sensor_name'), 'core'));
  const api = name === undefined ? undefined : parseTriplet(name.api);
  return {
    sensorName:
      name === undefined || api === undefined
        ? undefined
        : { namespace: namespaceIn(api.namespace, dialect), type: api.family, subtype: api.name, name: name.name },
    maintenanceAllowedKey: maintenance.text('maintenance_allowed_key'),
  };
}

function jobOf(entry: LooseObject): JobConfig {
  return {
    name: entry.text('name'),
    schedule: entry.text('schedule'),
    resource: entry.text('resource'),
    method: entry.text('method'),
    command: entry.struct('command'),
    logConfiguration: logConfigurationOf(entry),
  };
}

function tracingOf(tracing: LooseObject): RobotConfig['tracing'] {
  return {
    enabled: tracing.flag('enabled'),
    disk: tracing.flag('disk'),
    console: tracing.flag('console'),
    otlpEndpoint: tracing.text('otlpendpoint') || tracing.text('otlp_endpoint'),
  };
}
