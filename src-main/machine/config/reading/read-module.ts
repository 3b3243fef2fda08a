import { moduleSchema } from '../../../../proto/config/schema/document-schema.ts';
import { parseDuration } from '../../../../proto/config/duration.ts';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import type { JsonNode } from '../../../../proto/config/text/json-text.ts';
import { MODULE_NAME } from '../../../../proto/config/names.ts';
import { nearest } from '../../../../proto/config/nearest.ts';
import type { Problem } from '../../../../proto/config/problem.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { ModuleConfig } from '../machine-config.ts';
import { ObjectReader } from './object-reader.ts';
import { entryLabel, readLogLevel, type ParseContext } from './parse-context.ts';
import { PlaceholderExpansion } from './placeholder-expansion.ts';
import type { ProblemSink } from '../problem-list.ts';

/** An entry of `modules` while the document is being read. */
export interface ModuleEntry {
  readonly config: ModuleConfig;
  readonly label: string;
  readonly sink: ProblemSink;
}

const MODULE_ID = /^[\w-]+:[\w-]+$/;
// eslint-disable-next-line armature/user-patterns -- a constant of our schema
const VERSION = new RegExp(moduleSchema.properties?.['version']?.pattern ?? '');

/** Reads one module. Undefined if it has no usable name. */
export function readModule(
  node: JsonNode,
  pointer: string,
  index: number,
  context: ParseContext,
): ModuleEntry | undefined {
  const problems: Problem[] = [];
  const sink = context.problems.scope(problems);
  const label = entryLabel('module', node, index);
  if (node.properties === undefined) {
    sink.report({
      pointer,
      severity: 'error',
      code: 'config.wrong_type',
      message: `${label}: an entry of "modules" is an object in { } with name, type and module_id.`,
      found: node.value,
    });
    return undefined;
  }
  const reader = new ObjectReader(node, pointer, label, moduleSchema, sink, context.unsupported);
  const expansion = new PlaceholderExpansion(label, pointer, context.placeholders, sink);
  const name = readName(reader);
  const type = readType(reader);
  const moduleId = readModuleId(reader, type);
  const version = readVersion(reader, type);
  const writtenPath = reader.text('executable_path') ?? '';
  if (
    type === 'local' &&
    writtenPath === '' &&
    (!reader.has('executable_path') || reader.node('executable_path')?.value === '')
  ) {
    reader.reportMissing(
      'executable_path',
      '"executable_path" is missing; a module that is not of "type": "registry" is local and names its program.',
    );
  }
  const executablePath = expansion.text(writtenPath, reader.pointerOf('executable_path'));
  const env = readEnv(reader, expansion, sink, label);
  checkRest(reader);
  const logLevel = readLogLevel(reader, 'log_level');
  const isDisabled = reader.flag('disabled') ?? false;
  const notes = reader.text('notes', 'warning') ?? '';
  if (name === undefined) return undefined;
  const raw: JsonObject = { ...(node.value as JsonObject) };
  for (const key of Object.keys(raw)) {
    const small = key.toLowerCase();
    if (small === 'executable_path' && typeof raw[key] === 'string') raw[key] = executablePath;
    if (small === 'env' && reader.has('env')) raw[key] = { ...env };
  }
  return {
    config: {
      name,
      type: type ?? 'registry',
      moduleId,
      version,
      executablePath,
      env,
      logLevel,
      isDisabled,
      notes,
      raw,
      pointer,
      problems,
    },
    label,
    sink,
  };
}

function readName(reader: ObjectReader): string | undefined {
  const name = reader.text('name');
  if (name === undefined || name === '') {
    if (!reader.has('name') || name === '') {
      reader.reportMissing('name', '"name" is missing; by convention it is namespace_module.');
    }
    return undefined;
  }
  if (!MODULE_NAME.test(name) || name === 'parent') {
    const why =
      name === 'parent' ? 'that word is reserved' : 'a name is a letter or digit, then letters, digits, - and _';
    reader.report('name', 'error', 'config.bad_name', `${JSON.stringify(name.slice(0, 80))} cannot be a name: ${why}.`);
  }
  return name;
}

/** As in the public server, a module without a type is local. */
function readType(reader: ObjectReader): 'local' | 'registry' | undefined {
  const type = reader.text('type');
  if (type === 'local' || type === 'registry') return type;
  const allowed = ['local', 'registry'];
  if (type === undefined || type === '') {
    if (!reader.has('type') || type === '') return 'local';
  } else {
    const guess = nearest(type, allowed);
    reader.report(
      'type',
      'error',
      'config.not_allowed',
      `"${type}" is not a type of module; write local or registry.`,
      {
        allowed,
        nearest: guess,
      },
    );
  }
  return undefined;
}

function readModuleId(reader: ObjectReader, type: 'local' | 'registry' | undefined): string {
  const moduleId = reader.text('module_id') ?? '';
  if (moduleId === '') {
    // A local module reports its models itself.
    if (type !== 'local' && (!reader.has('module_id') || reader.node('module_id')?.value === '')) {
      reader.reportMissing(
        'module_id',
        '"module_id" is missing; it is namespace:module, the first two parts of its models.',
      );
    }
  } else if (!MODULE_ID.test(moduleId)) {
    reader.report(
      'module_id',
      'error',
      'config.bad_module_id',
      `"${moduleId.slice(0, 80)}" is not a module id; write namespace:module.`,
      { allowed: ['namespace:module'] },
    );
  }
  return moduleId;
}

function readVersion(reader: ObjectReader, type: 'local' | 'registry' | undefined): string {
  const version = reader.text('version') ?? '';
  const allowed = ['X.Y.Z', 'X.Y.*', 'X.*', 'latest', 'latest-with-prerelease'];
  if (version === '') {
    if (type !== 'local' && (!reader.has('version') || reader.node('version')?.value === '')) {
      reader.reportMissing('version', '"version" is missing; "latest" is always the newest.', {
        allowed,
      });
    }
  } else if (!VERSION.test(version)) {
    reader.report(
      'version',
      type === 'local' ? 'warning' : 'error',
      'config.bad_version',
      `"${version.slice(0, 80)}" is not a version or an update channel.`,
      { allowed, nearest: nearest(version, allowed.slice(3)) },
    );
  }
  return version;
}

function readEnv(
  reader: ObjectReader,
  expansion: PlaceholderExpansion,
  sink: ProblemSink,
  label: string,
): Readonly<Record<string, string>> {
  const node = reader.object('env');
  const entries: [string, string][] = [];
  for (const [key, child] of node?.properties ?? []) {
    const pointer = joinPointer(reader.pointerOf('env'), key);
    if (typeof child.value === 'string') entries.push([key, expansion.text(child.value, pointer)]);
    else {
      sink.report({
        pointer,
        severity: 'error',
        code: 'config.wrong_type',
        message: `${label}: the environment variable "${key}" takes text in double quotes.`,
        found: child.value,
      });
    }
  }
  return Object.fromEntries(entries);
}

/** How a module is isolated from the server and from other modules. */
const ISOLATIONS = ['default', 'none'];

/** Keys whose values only the module supervisor reads, from `raw`. */
function checkRest(reader: ObjectReader): void {
  reader.flag('tcp_mode');
  reader.flag('reload_enabled', 'warning');
  reader.text('reload_path', 'warning');
  const isolation = reader.text('isolation');
  if (isolation !== undefined && !ISOLATIONS.includes(isolation)) {
    reader.report(
      'isolation',
      'error',
      'config.not_allowed',
      `"${isolation.slice(0, 40)}" is no isolation; write none, or leave it out.`,
      { allowed: ISOLATIONS },
    );
  }
  const timeout = reader.text('first_run_timeout');
  if (timeout !== undefined && !((parseDuration(timeout) ?? -1) > 0)) {
    reader.report(
      'first_run_timeout',
      'error',
      'config.bad_duration',
      `"${timeout.slice(0, 40)}" is not a time above zero; write one like 90s, 5m or 1h30m.`,
    );
  }
  const fault = reader.object('status', 'warning')?.properties?.get('error')?.value;
  if (typeof fault === 'string' && fault !== '') {
    reader.report('status', 'error', 'module.rejected', `the hub says: ${fault}`);
  }
}
