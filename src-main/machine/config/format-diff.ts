import { isDeepStrictEqual } from 'node:util';
import { MASK, isSecretKey } from '../../../proto/config/secrets.ts';
import { joinPointer } from '../../../proto/config/json-pointer.ts';
import type { JsonObject, JsonValue } from '../../apis/resource.ts';
import type { MachineConfig, ModuleConfig, ResourceConfig } from './machine-config.ts';
import { diffLines } from './text-diff.ts';

/** Unchanged lines shown around a change. */
const CONTEXT = 2;

/** An item of a configuration as it is shown: its JSON, and the pointers in it that are secret. */
interface Shown {
  readonly title: string;
  readonly value: JsonValue;
  readonly isSecret: (pointer: string) => boolean;
}

/**
 * Differences of two configurations as text, item by item, for the log
 * (option -reveal-sensitive-config-diffs). Without `reveal` keys, module
 * environment and what placeholders brought in are masked; that such a value
 * changed still shows. '' where nothing differs.
 */
export function formatDiff(
  from: MachineConfig | undefined,
  to: MachineConfig,
  { reveal }: { readonly reveal: boolean },
): string {
  const before = new Map(shownItems(from).map((item) => [item.title, item]));
  const after = new Map(shownItems(to).map((item) => [item.title, item]));
  const blocks: string[] = [];
  for (const title of new Set([...before.keys(), ...after.keys()])) {
    const old = before.get(title);
    const now = after.get(title);
    if (old !== undefined && now !== undefined && isDeepStrictEqual(old.value, now.value)) continue;
    const isSecret = (pointer: string): boolean =>
      !reveal && (old?.isSecret(pointer) === true || now?.isSecret(pointer) === true);
    const oldLines = old === undefined ? [] : linesOf(hide(old.value, undefined, isSecret, ''));
    const newLines = now === undefined ? [] : linesOf(hide(now.value, old?.value, isSecret, ''));
    blocks.push([title, ...diffLines(oldLines, newLines, CONTEXT)].join('\n'));
  }
  return blocks.join('\n\n');
}

function linesOf(value: JsonValue): readonly string[] {
  return JSON.stringify(value, undefined, 2).split('\n');
}

/** A value with its secrets masked; the mask says where one differs from `old`. */
function hide(
  value: JsonValue,
  old: JsonValue | undefined,
  isSecret: (pointer: string) => boolean,
  pointer: string,
): JsonValue {
  if (pointer !== '' && isSecret(pointer)) {
    return old === undefined || isDeepStrictEqual(old, value) ? MASK : `${MASK} (changed)`;
  }
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const oldItems = Array.isArray(old) ? old : [];
    return value.map((item, index) => hide(item, oldItems[index], isSecret, joinPointer(pointer, index)));
  }
  const oldKeys = typeof old === 'object' && old !== null && !Array.isArray(old) ? old : {};
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const oldOne = Object.hasOwn(oldKeys, key) ? oldKeys[key] : undefined;
      return [key, hide(one, oldOne, isSecret, joinPointer(pointer, key))];
    }),
  );
}

function shownItems(config: MachineConfig | undefined): readonly Shown[] {
  if (config === undefined) return [];
  const { resources, modules, network, auth, log, maintenance } = config;
  const { debug, disableLogDeduplication, enableWebProfile } = config;
  const plain = (title: string, value: unknown): Shown => ({
    title,
    value: asJson(value),
    isSecret: () => false,
  });
  return [
    ...modules.map(shownModule),
    ...resources.map(shownResource),
    plain('network', network),
    { title: 'auth', value: asJson(auth), isSecret: (pointer) => /^\/apiKeys\/\d+\/key$/.test(pointer) },
    plain('log', log),
    plain('settings', { debug, disableLogDeduplication, enableWebProfile, maintenance: maintenance ?? null }),
  ];
}

function shownModule(module: ModuleConfig): Shown {
  const { name, raw, executablePath, env } = module;
  return {
    title: `module ${name}`,
    value: asJson({ ...raw, executable_path: executablePath, env }),
    isSecret: (pointer) => pointer.startsWith('/env/') || pointer.split('/').some(isSecretKey),
  };
}

function shownResource(resource: ResourceConfig): Shown {
  const { fullName, model, attributes, dependsOn, logLevel, isDisabled, notes, serviceConfigs } = resource;
  const fromEnvironment = new Set((resource.fromEnvironment ?? []).map((pointer) => `/attributes${pointer}`));
  return {
    title: fullName,
    value: asJson({ model, attributes, dependsOn, logLevel, isDisabled, notes, serviceConfigs }),
    isSecret: (pointer) => fromEnvironment.has(pointer) || pointer.split('/').some(isSecretKey),
  };
}

/** Configurations are plain data: absent keys go, the rest stays. */
function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
