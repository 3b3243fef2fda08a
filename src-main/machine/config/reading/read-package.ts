import { packageNameProblem, packageVersionProblem } from '../../../../proto/config/model-meta.ts';
import { parseVersionChoice } from '../../../../proto/config/module-versions.ts';
import { packageSchema } from '../../../../proto/config/schema/document-schema.ts';
import { nearest } from '../../../../proto/config/nearest.ts';
import type { JsonNode } from '../../../../proto/config/text/json-text.ts';
import type { Problem } from '../../../../proto/config/problem.ts';
import type { PackageConfig } from '../machine-config.ts';
import type { ProblemSink } from '../problem-list.ts';
import { ObjectReader } from './object-reader.ts';
import { entryLabel, type ParseContext } from './parse-context.ts';

/** An entry of `packages` while the document is being read. */
export interface PackageEntry {
  readonly config: PackageConfig;
  readonly sink: ProblemSink;
}

/** Types that placeholders can name. */
const NAME = /^[\w-]{1,100}$/;
/** Types that this machine downloads; modules are under "modules". */
const TYPES = ['ml_model'];

/** Reads one package. Undefined if it has no usable name. */
export function readPackage(
  node: JsonNode,
  pointer: string,
  index: number,
  context: ParseContext,
): PackageEntry | undefined {
  const problems: Problem[] = [];
  const sink = context.problems.scope(problems);
  const label = entryLabel('package', node, index);
  if (node.properties === undefined) {
    sink.report({
      pointer,
      severity: 'error',
      code: 'config.wrong_type',
      message: `${label}: an entry of "packages" is an object in { } with name, package, type and version.`,
      found: node.value,
    });
    return undefined;
  }
  const reader = new ObjectReader(node, pointer, label, packageSchema, sink, context.unsupported);
  const text = (key: 'name' | 'package' | 'type' | 'version', advice: string): string => {
    const value = reader.text(key) ?? '';
    if (value === '') reader.reportMissing(key, `"${key}" is missing; ${advice}.`);
    return value;
  };
  const name = text('name', 'placeholders name the package by it');
  if (name !== '' && !NAME.test(name)) {
    reader.report(
      'name',
      'error',
      'config.bad_name',
      `"${name.slice(0, 80)}" cannot be a name; it has letters, digits, "_" and "-".`,
    );
  }
  const id = text('package', 'write organization-id/name, as the page Registry shows it');
  const [organization = '', inner = '', more] = id.split('/');
  if (id !== '' && (organization === '' || more !== undefined || packageNameProblem(inner) !== undefined)) {
    reader.report(
      'package',
      'error',
      'config.bad_package',
      `"${id.slice(0, 80)}" is not the id of a package; write organization-id/name.`,
    );
  }
  const type = text('type', 'write ml_model');
  if (type !== '' && !TYPES.includes(type)) {
    const advice = type === 'module' ? 'add modules to "modules"' : 'write ml_model';
    reader.report(
      'type',
      'error',
      'config.not_allowed',
      `"${type.slice(0, 40)}" is not a type that is downloaded here; ${advice}.`,
      {
        allowed: TYPES,
        nearest: nearest(type, TYPES),
      },
    );
  }
  const version = text('version', '"latest" is always the one that was uploaded last');
  if (version !== '' && parseVersionChoice(version) === undefined && packageVersionProblem(version) !== undefined) {
    reader.report(
      'version',
      'error',
      'config.bad_version',
      `"${version.slice(0, 80)}" is not a version or an update channel.`,
    );
  }
  const fault = reader.object('status', 'warning')?.properties?.get('error')?.value;
  if (typeof fault === 'string' && fault !== '')
    reader.report('status', 'error', 'package.rejected', `the hub says: ${fault}`);
  if (!NAME.test(name)) return undefined;
  return { config: { name, package: id, type, version, pointer, problems }, sink };
}
