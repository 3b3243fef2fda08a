/**
 * The one place that knows the other spelling of our names: `viam.*` for `core.*` packages, `rdk`
 * for the `core` namespace, `VIAM_*` for `SVC_*` variables. Packages that never had a `viam.`
 * prefix (`proto.rpc.v1`, `grpc.*`) are the same in both.
 */
export type Dialect = 'core' | 'viam';

const CORE_PATH = '/core.';
const ALIAS_PATH = '/viam.';

/** The dialect that a method path is written in. Paths outside both belong to `viam` clients. */
export function dialectOfPath(path: string): Dialect {
  return path.startsWith(CORE_PATH) ? 'core' : 'viam';
}

/** `/viam.x.Y/Z` as `/core.x.Y/Z`; any other path unchanged. */
export function canonicalPath(path: string): string {
  return path.startsWith(ALIAS_PATH) ? CORE_PATH + path.slice(ALIAS_PATH.length) : path;
}

/** `/core.x.Y/Z` as `/viam.x.Y/Z`, as modules of the public ecosystem expect it. */
export function aliasPath(path: string): string {
  return path.startsWith(CORE_PATH) ? ALIAS_PATH + path.slice(CORE_PATH.length) : path;
}

/** A proto package, message or service name in the given dialect, without a leading slash. */
export function protoNameIn(name: string, dialect: Dialect): string {
  if (dialect === 'viam') return name.startsWith('core.') ? `viam.${name.slice(5)}` : name;
  return name.startsWith('viam.') ? `core.${name.slice(5)}` : name;
}

/** An API namespace (`core`, `acme`) in the given dialect. */
export function namespaceIn(namespace: string, dialect: Dialect): string {
  if (dialect === 'viam') return namespace === 'core' ? 'rdk' : namespace;
  return namespace === 'rdk' ? 'core' : namespace;
}

/** An API or model triplet, or a full resource name `api/name`, in the given dialect. */
export function tripletIn(text: string, dialect: Dialect): string {
  const [from, to] = dialect === 'viam' ? ['core:', 'rdk:'] : ['rdk:', 'core:'];
  return text.startsWith(from) ? to + text.slice(from.length) : text;
}

/** A sentence with our names in it written in the given dialect. */
export function sentenceIn(text: string, dialect: Dialect): string {
  if (dialect === 'core' || !text.includes('core')) return text;
  return text
    .replace(/\bcore:(component|service|builtin)\b/g, 'rdk:$1')
    .replace(/\bcore\.((?:\w+\.)+v\d+)\b/g, 'viam.$1');
}

/** Reads `SVC_<name>`, else its alias `VIAM_<name>`. */
export function environmentVariable(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return environment[`SVC_${name}`] ?? environment[`VIAM_${name}`];
}

/** Both spellings of a variable, for a child process. */
export function environmentEntries(name: string, value: string): Record<string, string> {
  return { [`SVC_${name}`]: value, [`VIAM_${name}`]: value };
}
