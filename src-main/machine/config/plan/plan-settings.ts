import { isDeepStrictEqual } from 'node:util';
import { formatDuration } from '../../../../proto/config/duration.ts';
import { changesWords, listWords } from '../../../../proto/config/changes/change-words.ts';
import { entryPlace, placeIn, valueChanges, type Steps } from '../../../../proto/config/changes/value-changes.ts';
import { isSecretPointer, MASK } from '../../../../proto/config/secrets.ts';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import type { LogPattern } from '../../logging/log-settings.ts';
import type { AuthConfig, MachineConfig, NetworkConfig } from '../machine-config.ts';
import { isSameJob } from '../../jobs/job-config.ts';
import { isSameRemote } from '../reading/read-remote.ts';
import type { SettingChange } from './plan.ts';

/** All machine-wide settings that differ, in a fixed order. */
export function settingChanges(from: MachineConfig, to: MachineConfig): readonly SettingChange[] {
  const changes: SettingChange[] = [];
  const add = (key: string, reason: string, needsRestart = false): void =>
    void changes.push({ key, reason, needsRestart });
  if (!isDeepStrictEqual(from.log, to.log)) add('log', describeLog(from.log, to.log));
  for (const [key, before, after] of [
    ['debug', from.debug, to.debug],
    ['disable_log_deduplication', from.disableLogDeduplication, to.disableLogDeduplication],
    ['enable_web_profile', from.enableWebProfile, to.enableWebProfile],
  ] as const) {
    if (before !== after) add(key, `${key} ${before} to ${after}`);
  }
  for (const field of networkFields) {
    const before = from.network[field.name];
    const after = to.network[field.name];
    if (isDeepStrictEqual(before, after)) continue;
    if (field.name === 'allowedOrigins') {
      const { network: was } = from;
      add(`network.${field.key}`, describeItems(field.key, [...was.allowedOrigins], [...to.network.allowedOrigins]));
      continue;
    }
    add(
      `network.${field.key}`,
      `${field.key} ${field.show(from.network)} to ${field.show(to.network)}`,
      field.needsRestart,
    );
  }
  if (!isDeepStrictEqual(from.auth, to.auth)) add('auth', describeAuth(from.auth, to.auth));
  if (!isDeepStrictEqual(from.maintenance, to.maintenance)) {
    add('maintenance', `maintenance ${showMaintenance(from)} to ${showMaintenance(to)}`);
  }
  if (!isDeepStrictEqual(from.tracing, to.tracing))
    add('tracing', `tracing ${showTracing(from)} to ${showTracing(to)}`);
  if (packagesOf(from) !== packagesOf(to)) add('packages', describePackages(from, to));
  const remotes = describeRemotes(from, to);
  if (remotes !== undefined) add('remotes', remotes);
  const jobs = describeJobs(from, to);
  if (jobs !== undefined) add('jobs', jobs);
  if (!isDeepStrictEqual(from.triggers, to.triggers))
    add('triggers', describeItems('triggers', from.triggers, to.triggers));
  return changes;
}

/** The downloaded packages, without places and problems. */
function packagesOf({ packages }: MachineConfig): string {
  return JSON.stringify(packages.map(({ name, package: id, type, version }) => [name, id, type, version]));
}

function describePackages(from: MachineConfig, to: MachineConfig): string {
  const before = new Map(from.packages.map((one) => [one.name, one]));
  const parts = to.packages.flatMap(({ name, package: id, type, version }) => {
    const old = before.get(name);
    before.delete(name);
    if (old === undefined) return [`${name} added`];
    if (old.package !== id || old.type !== type) return [`${name} is ${id} now`];
    return old.version === version ? [] : [`${name} ${old.version} to ${version}`];
  });
  parts.push(...[...before.keys()].map((name) => `${name} removed`));
  return `packages: ${parts.length === 0 ? 'another order' : parts.join(', ')}`;
}

/** The changes of a list in the words that all lists have, without its secrets. */
function describeItems(key: string, from: readonly JsonValue[], to: readonly JsonValue[]): string {
  const isHidden = (steps: Steps): boolean => isSecretPointer(steps.reduce<string>(joinPointer, ''));
  const rules = { isHidden, follows: () => false };
  return changesWords(valueChanges([...from], [...to], placeIn(entryPlace, key), rules));
}

/** The changes of remotes, without their keys; undefined if there are none. */
function describeRemotes(from: MachineConfig, to: MachineConfig): string | undefined {
  const before = new Map(from.remotes.map((one) => [one.name, one]));
  const moved = to.remotes.flatMap(({ name, address }) => {
    const old = before.get(name);
    return old === undefined || old.address.text === address.text ? [] : [`${name} is at ${address.text} now`];
  });
  const changes = describeNamed(from.remotes, to.remotes, isSameRemote);
  return changes === undefined ? undefined : `remotes: ${[changes, ...moved].join('; ')}`;
}

/** The changes of jobs; undefined if there are none. */
function describeJobs(from: MachineConfig, to: MachineConfig): string | undefined {
  const changes = describeNamed(from.jobs, to.jobs, isSameJob);
  return changes === undefined ? undefined : `jobs: ${changes}`;
}

function describeNamed<Item extends { readonly name: string }>(
  from: readonly Item[],
  to: readonly Item[],
  isSame: (one: Item, other: Item) => boolean,
): string | undefined {
  const before = new Map(from.map((one) => [one.name, one]));
  const after = new Set(to.map(({ name }) => name));
  const added = to.filter(({ name }) => !before.has(name)).map(({ name }) => name);
  const removed = from.filter(({ name }) => !after.has(name)).map(({ name }) => name);
  const changed = to.filter((one) => {
    const old = before.get(one.name);
    return old !== undefined && !isSame(old, one);
  });
  if (added.length + removed.length + changed.length === 0) return undefined;
  return listWords({ added, removed, changed: changed.map(({ name }) => ({ name, changes: [] })), following: [] });
}

interface NetworkField {
  readonly name: keyof NetworkConfig;
  readonly key: string;
  /** The listener is opened once, so these settings take effect at the next start. */
  readonly needsRestart: boolean;
  show(network: NetworkConfig): string;
}

const plain = (name: keyof NetworkConfig, key: string, needsRestart: boolean): NetworkField => ({
  name,
  key,
  needsRestart,
  show: (network) => {
    const value = network[name];
    if (value === '' || (Array.isArray(value) && value.length === 0)) return 'none';
    return typeof value === 'string' ? value : JSON.stringify(value);
  },
});

const networkFields: readonly NetworkField[] = [
  plain('bindAddress', 'bind_address', true),
  plain('tlsCertFile', 'tls_cert_file', true),
  plain('tlsKeyFile', 'tls_key_file', true),
  plain('noTls', 'no_tls', true),
  plain('fqdn', 'fqdn', false),
  {
    name: 'heartbeatWindowMs',
    key: 'sessions.heartbeat_window',
    needsRestart: false,
    show: (network) => formatDuration(network.heartbeatWindowMs),
  },
  plain('stopOnDisconnect', 'sessions.stop_on_disconnect', false),
  plain('allowedOrigins', 'allowed_origins', false),
  {
    name: 'tunnels',
    key: 'traffic_tunnel_endpoints',
    needsRestart: false,
    show: ({ tunnels }) => (tunnels.length === 0 ? 'none' : tunnels.map((tunnel) => `port ${tunnel.port}`).join(', ')),
  },
  {
    name: 'check',
    key: 'check',
    needsRestart: false,
    show: ({ check }) => {
      const lists: readonly (readonly unknown[])[] = Object.values(check ?? {});
      const count = lists.flat().length;
      return count === 0 ? 'none' : `${count} ${count === 1 ? 'target' : 'targets'}`;
    },
  },
];

function describeLog(from: readonly LogPattern[], to: readonly LogPattern[]): string {
  const text = ({ pattern, level }: LogPattern): string => `${pattern} ${level}`;
  const before = new Set(from.map(text));
  const after = new Set(to.map(text));
  const parts = [
    ...[...after].filter((entry) => !before.has(entry)).map((entry) => `${entry} added`),
    ...[...before].filter((entry) => !after.has(entry)).map((entry) => `${entry} removed`),
  ];
  return parts.length === 0 ? 'log: another order' : `log: ${parts.join(', ')}`;
}

function describeAuth(from: AuthConfig, to: AuthConfig): string {
  const parts: string[] = [];
  if (from.isEnabled !== to.isEnabled) {
    parts.push(to.isEnabled ? 'every caller needs a key' : 'callers on this computer need no key any more');
  }
  const before = new Map(from.apiKeys.map(({ id, key }) => [id, key]));
  const after = new Map(to.apiKeys.map(({ id, key }) => [id, key]));
  for (const [id, key] of after) {
    const old = before.get(id);
    if (old === undefined) parts.push(`key ${id} added (${MASK})`);
    else if (old !== key) parts.push(`key ${id} changed (${MASK})`);
  }
  for (const [id] of before) if (!after.has(id)) parts.push(`key ${id} removed (${MASK})`);
  return `auth: ${parts.length === 0 ? 'another order' : parts.join(', ')}`;
}

function showTracing({ tracing: { console, disk, otlp } }: MachineConfig): string {
  const sinks = [
    ...(console ? ['console'] : []),
    ...(disk ? ['files'] : []),
    ...(otlp === undefined ? [] : [otlp.protocol === 'grpc' ? otlp.address.text : otlp.url]),
  ];
  return sinks.length === 0 ? 'off' : sinks.join(' and ');
}

function showMaintenance({ maintenance }: MachineConfig): string {
  return maintenance === undefined ? 'none' : `${maintenance.sensorName} ${maintenance.allowedKey}`;
}
