import type { JsonSchema } from './json-schema.ts';
import { MODULE_NAME, RESOURCE_NAME } from '../names.ts';
import { triggerSchema } from '../triggers/trigger-schema.ts';

/**
 * The whole configuration as JSON Schema: for completion and hints in an
 * editor, and the table of keys the parser knows (one list, so that they cannot
 * differ). Rules that a schema cannot express are in the parser alone.
 * Attributes are described by each model's own schema.
 */

const text = (title: string, description: string): JsonSchema => ({ type: 'string', title, description });
const unsupported = (description: string): JsonSchema => ({ description, 'x-unsupported': true });
const duration = (title: string, description: string, value: string): JsonSchema => ({
  type: 'string',
  title,
  'x-input': 'duration',
  description: `${description} A duration such as 300ms, 2s or 1m30s.`,
  default: value,
  pattern: '^[-+]?(0|((\\d+(\\.\\d*)?|\\.\\d+)(ns|us|µs|μs|ms|s|m|h))+)$',
});

const levelSchema: JsonSchema = {
  type: 'string',
  title: 'Log level',
  'x-input': 'log-level',
  description: 'Log level: debug, info, warn or error, in any case.',
  pattern: '^([dD][eE][bB][uU][gG]|[iI][nN][fF][oO]|[wW][aA][rR][nN]([iI][nN][gG])?|[eE][rR][rR][oO][rR])$',
  examples: ['debug', 'info', 'warn', 'error'],
};

const ours: Readonly<Record<string, JsonSchema>> = {
  disabled: {
    type: 'boolean',
    default: false,
    title: 'Disabled',
    description: 'Keeps the entry in the file without running it; what depends on it waits.',
  },
  notes: { ...text('Notes', 'Free text for people. Never sent to a module.'), 'x-input': 'text-area' },
};

export const logConfigurationSchema: JsonSchema = {
  type: 'object',
  title: 'Log',
  description: 'Log setting of this entry.',
  properties: { level: levelSchema },
  additionalProperties: false,
};

export const apiObjectSchema: JsonSchema = {
  type: 'object',
  properties: {
    namespace: { type: 'string', default: 'core' },
    type: { type: 'string', enum: ['component', 'service'] },
    subtype: { type: 'string' },
  },
  required: ['subtype'],
  additionalProperties: false,
};

const API_PATTERN = '^[\\w-]+:(component|service):[\\w-]+$';
const MODEL_PATTERN = '^[\\w-]+(:[\\w-]+:[\\w-]+)?$';

const serviceConfigSchema: JsonSchema = {
  type: 'object',
  properties: {
    type: text('Service', 'Service the settings are for: data_manager, or an API.'),
    attributes: { type: 'object', description: 'Settings of that service for this resource.' },
  },
  required: ['type'],
  additionalProperties: false,
};

const resourceProperties: Readonly<Record<string, JsonSchema>> = {
  name: {
    type: 'string',
    pattern: RESOURCE_NAME.source,
    description: 'Name of this instance: a letter or digit, then letters, digits, - and _; up to 60 characters.',
  },
  api: {
    anyOf: [{ type: 'string', pattern: API_PATTERN }, apiObjectSchema],
    description: 'API triplet, for example core:component:motor.',
  },
  namespace: text('Namespace', 'Old form of api, with type: its namespace, rdk where it is absent.'),
  type: text('Type', 'Old form of api: its last part, for example motor.'),
  model: {
    type: 'string',
    pattern: MODEL_PATTERN,
    description: 'Model triplet, for example acme:drives:servo; one word for a model that is built in.',
  },
  attributes: { type: 'object', description: 'Settings of the model.' },
  depends_on: {
    title: 'Depends on',
    type: 'array',
    items: { type: 'string' },
    description: 'Names of resources that must be ready before this one.',
  },
  log_configuration: logConfigurationSchema,
  service_configs: {
    type: 'array',
    items: serviceConfigSchema,
    description: 'What services do with this resource: what the data manager captures of it.',
  },
  frame: unsupported('Place of a component in space.'),
  ...ours,
};

/** What components and services have in common; each adds what it must have. */
export const resourceSchema: JsonSchema = { type: 'object', properties: resourceProperties };

export const componentSchema: JsonSchema = {
  type: 'object',
  description: 'A component.',
  properties: resourceProperties,
  required: ['name', 'model'],
  anyOf: [{ required: ['api'] }, { required: ['type'] }],
  additionalProperties: false,
};

export const serviceSchema: JsonSchema = {
  type: 'object',
  description: 'A service. Without a name and a model it is the one called builtin.',
  properties: resourceProperties,
  anyOf: [{ required: ['api'] }, { required: ['type'] }],
  additionalProperties: false,
};

export const moduleSchema: JsonSchema = {
  type: 'object',
  description: 'A module: a program that provides models.',
  properties: {
    name: {
      type: 'string',
      pattern: MODULE_NAME.source,
      not: { const: 'parent' },
      description: 'Name of this instance, by convention namespace_module.',
    },
    type: {
      type: 'string',
      title: 'Source',
      enum: ['local', 'registry'],
      description: 'From the registry, or on this machine only. Without a type: on this machine only.',
    },
    module_id: {
      type: 'string',
      title: 'Module',
      pattern: '^[\\w-]+:[\\w-]+$',
      description: 'namespace:module, the first two parts of its models.',
    },
    version: {
      type: 'string',
      title: 'Version',
      pattern: '^(\\d+\\.\\d+\\.\\d+([-+][-+.\\w]+)?|\\d+\\.\\d+\\.\\*|\\d+\\.\\*|latest|latest-with-prerelease)$',
      description: 'X.Y.Z, X.Y.*, X.*, latest or latest-with-prerelease.',
    },
    executable_path: text('Program', 'The program of a local module: a file or a .tar.gz.'),
    reload_path: text('Reload when this changes', 'A file: when it has changed, the module is loaded again.'),
    reload_enabled: {
      type: 'boolean',
      title: 'Reload when built',
      description: 'Restarts the module when what it is built from changes.',
    },
    env: {
      type: 'object',
      title: 'Environment',
      additionalProperties: { type: 'string' },
      description: 'Environment variables of the module; values may hold ${environment.NAME}.',
    },
    log_level: levelSchema,
    tcp_mode: { type: 'boolean', default: false, title: 'Talk over TCP', description: 'Instead of a socket file.' },
    isolation: {
      enum: ['default', 'none'],
      default: 'default',
      title: 'Isolation',
      description: 'none lets the module do and read whatever the server itself may; for one that needs more.',
    },
    first_run_timeout: duration('First run', 'Time its first run may take.', '1h'),
    status: { type: 'object', title: 'Status', description: 'Set by a hub; an error in it makes the module fail.' },
    ...ours,
  },
  required: ['name'],
  additionalProperties: false,
};

export const sessionsSchema: JsonSchema = {
  type: 'object',
  title: 'Sessions',
  description: 'What happens when a client is gone.',
  properties: {
    heartbeat_window: duration('Silence of a client', 'A client silent for this long is gone; 30ms to 1m.', '2s'),
    stop_on_disconnect: {
      type: 'boolean',
      title: 'Stop on disconnect',
      default: true,
      description:
        'Ends a session with its last connection, and stops what a connection without a session moved when it closes.',
    },
  },
  additionalProperties: false,
};

export const tunnelSchema: JsonSchema = {
  type: 'object',
  title: 'Tunnel',
  properties: {
    port: { type: 'integer', title: 'Port', minimum: 1, maximum: 65_535 },
    connection_timeout: duration('Time to connect', 'Time to reach the port.', '10s'),
  },
  required: ['port'],
  additionalProperties: false,
};

/** Targets of one kind that `-network-check` takes: all are checked at once. */
export const MOST_CHECK_TARGETS = 16;

const targets = (title: string, description: string, example: string): JsonSchema => ({
  type: 'array',
  title,
  items: { type: 'string' },
  maxItems: MOST_CHECK_TARGETS,
  description,
  examples: [[example]],
});

export const networkCheckSchema: JsonSchema = {
  type: 'object',
  title: 'Network check',
  description: 'What "armature server -network-check" checks besides the hub and the remotes.',
  properties: {
    dns_servers: targets(
      'DNS servers',
      'Servers that are asked for each name: ADDRESS or ADDRESS:PORT. Without any, those of the system.',
      '192.168.1.1',
    ),
    hosts: targets('Names', 'Names that have to be found, besides those of hub and remotes.', 'hub.example'),
    addresses: targets(
      'Servers',
      'Servers that have to be reached: HOST:PORT or https://HOST for TLS, http://HOST:PORT for clear text.',
      'https://hub.example:8090',
    ),
    stun_servers: targets('STUN over UDP', 'STUN servers: HOST or HOST:PORT.', 'stun.example:3478'),
    stun_tcp_servers: targets('STUN over TCP', 'STUN servers that answer over TCP too.', 'stun.example:3478'),
  },
  additionalProperties: false,
};

export const networkSchema: JsonSchema = {
  type: 'object',
  title: 'Network',
  description: 'How the machine is reached. A fault in this block keeps the whole configuration from being applied.',
  properties: {
    bind_address: {
      type: 'string',
      title: 'Address to listen on',
      default: 'localhost:8080',
      description: 'host:port; port 0 takes a free one.',
    },
    fqdn: text('Domain name', 'Full domain name of the machine.'),
    tls_cert_file: text('Certificate file', 'Certificate file; needs tls_key_file.'),
    tls_key_file: text('Key file', 'Key file; needs tls_cert_file.'),
    no_tls: {
      type: 'boolean',
      default: false,
      title: 'Encryption (TLS)',
      description: 'Off serves clear text.',
      'x-words': ['on', 'off'],
    },
    sessions: sessionsSchema,
    allowed_origins: {
      type: 'array',
      title: 'Allowed origins',
      items: { type: 'string' },
      description: 'Origins of web pages that may call this machine, for example https://bench.example.',
    },
    traffic_tunnel_endpoints: {
      type: 'array',
      title: 'Tunnels',
      items: tunnelSchema,
      description: 'Ports of this computer that clients may reach through the machine.',
    },
    check: networkCheckSchema,
  },
  additionalProperties: false,
};

export const authHandlerSchema: JsonSchema = {
  type: 'object',
  properties: {
    type: { type: 'string', const: 'api-key' },
    config: {
      type: 'object',
      description: 'Key id to key, and keys: the ids that are accepted.',
      properties: { keys: { type: 'array', items: { type: 'string' }, minItems: 1 } },
      required: ['keys'],
      additionalProperties: { type: 'string', minLength: 1 },
    },
  },
  required: ['type', 'config'],
  additionalProperties: false,
};

export const authSchema: JsonSchema = {
  type: 'object',
  title: 'Access',
  description: 'Who may call. A fault in this block keeps the whole configuration from being applied.',
  properties: {
    handlers: { type: 'array', items: authHandlerSchema },
    tls_auth_entities: unsupported('Names of callers with certificates.'),
    external_auth_config: unsupported('Tokens of another issuer.'),
  },
  additionalProperties: false,
};

export const logEntrySchema: JsonSchema = {
  type: 'object',
  title: 'Log level by pattern',
  properties: {
    pattern: {
      type: 'string',
      title: 'Pattern',
      'x-columns': 2,
      minLength: 1,
      description:
        'Resource path such as core.component.motor.*, logger name or module name; * is any run of characters.',
    },
    level: levelSchema,
  },
  required: ['pattern', 'level'],
  additionalProperties: false,
};

export const maintenanceSchema: JsonSchema = {
  type: 'object',
  title: 'Window for updates',
  description:
    'When updates may interrupt the machine: while a reading of a sensor is true. They wait while it is false, and while the sensor is missing or fails.',
  properties: {
    sensor_name: {
      type: 'string',
      title: 'Sensor',
      'x-resource': 'core:component:sensor',
      'x-input': 'full-name',
      pattern: '^[\\w-]+:component:sensor/.+$',
      description: 'Full name of a sensor, core:component:sensor/NAME.',
    },
    maintenance_allowed_key: {
      type: 'string',
      title: 'Reading that allows it',
      minLength: 1,
      'x-input': 'reading',
      'x-reading-of': 'sensor_name',
      description: 'Key of its reading that says by true or false whether maintenance is allowed.',
    },
  },
  required: ['sensor_name', 'maintenance_allowed_key'],
  additionalProperties: false,
};

/** An entry of `packages`. */
export const packageSchema: JsonSchema = {
  type: 'object',
  properties: {
    name: {
      type: 'string',
      title: 'Name',
      description: 'Placeholders name the package by it: ${packages.ml_model.NAME} is its folder.',
    },
    package: { type: 'string', title: 'Package', description: 'Id of the organization, a slash, and its name.' },
    type: { enum: ['ml_model'], title: 'Type', description: 'What it is.' },
    version: {
      type: 'string',
      title: 'Version',
      description: 'A version, X.Y.*, X.*, or latest, which is the one that was uploaded last.',
    },
    status: { type: 'object', description: 'What a hub says of the entry.' },
  },
};

/** `credentials` of an entry of `remotes`. */
export const remoteCredentialsSchema: JsonSchema = {
  type: 'object',
  title: 'Credentials',
  properties: {
    type: { type: 'string', title: 'Type', default: 'api-key', description: 'api-key, for machines of ours.' },
    payload: text('Secret', 'The key, as it was shown when it was made.'),
  },
};

/** `auth` of an entry of `remotes`. */
export const remoteAuthSchema: JsonSchema = {
  type: 'object',
  title: 'Key',
  description: 'How this machine authenticates there. Its own keys are never sent to another machine.',
  properties: {
    entity: text('Key id', 'Id of an API key of the other machine, or of its hub.'),
    credentials: remoteCredentialsSchema,
  },
};

/** An entry of `remotes`. */
export const remoteSchema: JsonSchema = {
  type: 'object',
  properties: {
    name: { ...text('Name', 'What the other machine is called here.'), pattern: RESOURCE_NAME.source },
    address: {
      ...text('Address', 'Where it answers: HOST:PORT, with http:// before it where it serves no TLS.'),
      examples: ['https://bench-2.local:8080'],
    },
    prefix: {
      ...text('Prefix', 'Goes in front of the names of its resources on this machine.'),
      pattern: `^$|${RESOURCE_NAME.source}`,
      examples: ['left-'],
    },
    insecure: {
      type: 'boolean',
      default: false,
      title: 'Encryption',
      'x-words': ['as the address says', 'none'],
      description:
        'Without TLS, where the address has no http:// or https:// before it. A key goes in clear text to this computer only, or with -allow-insecure-creds.',
    },
    auth: remoteAuthSchema,
    secret: text('Location secret', 'Of machines of the public ecosystem; use "auth" for others.'),
    connection_check_interval: duration('Checks', 'How often it is asked what it has.', '10s'),
    reconnect_interval: duration('Retries', 'How long after a failure it is tried again.', '1s'),
    ...ours,
    frame: unsupported('Where it is.'),
    managed_by: unsupported('Address of the machine that looks after it.'),
    service_configs: unsupported('Settings of services for it.'),
  },
  required: ['name', 'address'],
};

/** An entry of `jobs`. */
export const jobSchema: JsonSchema = {
  type: 'object',
  properties: {
    name: { ...text('Name', 'What the job is called, in the status of the machine and in the log.'), minLength: 1 },
    schedule: {
      ...text(
        'Schedule',
        'When it is called: a time such as 30s or 1h30m, cron with 5 fields or 6 with seconds first (local time), or continuous.',
      ),
      minLength: 1,
      examples: ['1m', '0 8 * * MON-FRI', 'continuous'],
    },
    resource: { ...text('Resource', 'Name of the resource that is called.'), minLength: 1 },
    method: {
      ...text('Method', 'Method of its API. It is given the name of the resource; DoCommand is given "command" too.'),
      minLength: 1,
      examples: ['DoCommand', 'GetReadings'],
    },
    command: { type: 'object', title: 'Command', description: 'What DoCommand is given.' },
    log_configuration: logConfigurationSchema,
    ...ours,
  },
  required: ['name', 'schedule', 'resource', 'method'],
};

export const tracingSchema: JsonSchema = {
  type: 'object',
  title: 'Tracing',
  description: 'Spans of calls, and of what they call in turn. They go to each place that is named here.',
  properties: {
    enabled: { type: 'boolean', default: false, title: 'Record spans', description: 'Off records none.' },
    console: { type: 'boolean', default: false, title: 'Console', description: 'One line a span on standard output.' },
    disk: {
      type: 'boolean',
      default: false,
      title: 'Files',
      description: 'Files below the folder of the program (trace/), of which the oldest are deleted.',
    },
    otlpendpoint: {
      ...text(
        'Collector (OTLP)',
        'HOST:PORT for gRPC, with https:// or http:// before it for TLS or clear text; a URL with a path for HTTP.',
      ),
      examples: ['localhost:4317', 'http://localhost:4318/v1/traces'],
    },
  },
  additionalProperties: false,
};

export const documentSchema: JsonSchema = {
  $id: 'https://armature.local/schema/machine.json',
  title: 'Armature machine configuration',
  type: 'object',
  properties: {
    components: { type: 'array', items: componentSchema, description: 'What is wired to the machine.' },
    services: { type: 'array', items: serviceSchema, description: 'Software that works with components.' },
    modules: { type: 'array', items: moduleSchema, description: 'Programs that provide models.' },
    network: networkSchema,
    auth: authSchema,
    log: {
      type: 'array',
      title: 'Log levels',
      items: logEntrySchema,
      description: 'Log levels by pattern; a later entry wins.',
    },
    maintenance: maintenanceSchema,
    debug: { type: 'boolean', default: false, title: 'Debug logs', description: 'Debug-level logs of everything.' },
    disable_log_deduplication: {
      type: 'boolean',
      default: false,
      title: 'Repeated lines',
      description: 'Whether equal lines in a row are folded into one with their count.',
      'x-words': ['folded', 'all shown'],
    },
    enable_web_profile: {
      type: 'boolean',
      default: false,
      title: 'Profiles',
      description: 'Serves profiles of the program.',
    },
    revision: text('Revision', 'Name of this configuration, reported with the machine status.'),
    agent: unsupported('Settings of the agent.'),
    cloud: unsupported('Identity of this machine at a hub.'),
    disable_partial_start: unsupported('No effect in the field either.'),
    fragment_mods: unsupported('Changes to fragments.'),
    fragments: unsupported('Configurations to merge in.'),
    jobs: {
      type: 'array',
      title: 'Jobs',
      items: jobSchema,
      description: 'Calls that the machine makes by itself, on a schedule.',
    },
    overwrite_fragment_status: unsupported('No effect in the field either.'),
    packages: {
      type: 'array',
      title: 'Packages',
      items: packageSchema,
      description: 'Models of machine learning that the machine downloads. Resources name them by placeholders.',
    },
    processes: unsupported('Programs to start.'),
    remotes: {
      type: 'array',
      title: 'Remotes',
      items: remoteSchema,
      description: 'Other machines, whose resources this machine offers like its own.',
    },
    tracing: tracingSchema,
    triggers: {
      type: 'array',
      title: 'Triggers',
      items: triggerSchema,
      description: 'Webhook requests and e-mails when something happens. The hub of the machine sends them.',
    },
  },
  additionalProperties: false,
};
