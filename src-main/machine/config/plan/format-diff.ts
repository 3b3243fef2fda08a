import { isDeepStrictEqual } from 'node:util';
import { diffLines, type DiffLine } from '../../../../proto/config/text/line-diff.ts';
import { MASK } from '../../../../proto/config/secrets.ts';
import type { JsonObject, JsonValue } from '../../../apis/resource.ts';
import type { AuthConfig, MachineConfig } from '../machine-config.ts';

/** Unchanged lines shown around a change. */
const CONTEXT = 2;

/** An item of a configuration, as displayed. */
interface Shown {
  readonly title: string;
  readonly value: JsonValue;
}

/**
 * Differences between two configurations as text, item by item, for the log (option -reveal-sensitive-config-diffs):
 * attributes and module environment unmasked, placeholders replaced. Only keys that open the machine are masked,
 * because logs are kept; that a key changed is still shown. '' if nothing differs.
 */
export function formatDiff(from: MachineConfig, to: MachineConfig): string {
  const before = new Map(shownItems(from).map(({ title, value }) => [title, value]));
  const after = new Map(shownItems(to, from.auth).map(({ title, value }) => [title, value]));
  const blocks: string[] = [];
  for (const title of new Set([...before.keys(), ...after.keys()])) {
    const old = before.get(title);
    const now = after.get(title);
    if (isDeepStrictEqual(old, now)) continue;
    blocks.push([title, ...diffLines(linesOf(old), linesOf(now), CONTEXT).map(marked)].join('\n'));
  }
  return blocks.join('\n\n');
}

const marks = { same: '  ', removed: '- ', added: '+ ' } as const;

function marked({ kind, text }: DiffLine): string {
  return kind === 'skipped' ? '  ...' : marks[kind] + text;
}

function linesOf(value: JsonValue | undefined): readonly string[] {
  return value === undefined ? [] : JSON.stringify(value, undefined, 2).split('\n');
}

/** @param oldAuth the previous `auth`, to say which keys changed */
function shownItems(config: MachineConfig, oldAuth?: AuthConfig): readonly Shown[] {
  const { resources, modules, network, auth, log, maintenance } = config;
  const { debug, disableLogDeduplication, enableWebProfile, tracing } = config;
  const shown = (title: string, value: unknown): Shown => ({ title, value: asJson(value) });
  return [
    ...modules.map(({ name, raw, executablePath, env }) =>
      shown(`module ${name}`, { ...raw, executable_path: executablePath, env }),
    ),
    ...resources.map(({ fullName, model, attributes, dependsOn, logLevel, isDisabled, notes, serviceConfigs }) =>
      shown(fullName, { model, attributes, dependsOn, logLevel, isDisabled, notes, serviceConfigs }),
    ),
    shown('network', network),
    shown('auth', withoutKeys(auth, oldAuth)),
    shown('log', log),
    shown('settings', { debug, disableLogDeduplication, enableWebProfile, tracing, maintenance: maintenance ?? null }),
  ];
}

function withoutKeys({ isEnabled, apiKeys }: AuthConfig, old: AuthConfig | undefined): AuthConfig {
  const oldKeys = new Map(old?.apiKeys.map(({ id, key }) => [id, key]));
  const shownKey = (id: string, key: string): string => ((oldKeys.get(id) ?? key) === key ? MASK : `${MASK} (changed)`);
  return { isEnabled, apiKeys: apiKeys.map(({ id, key }) => ({ id, key: shownKey(id, key) })) };
}

/** Configurations are plain data: removes absent keys. */
function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
