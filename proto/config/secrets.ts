import { pointerSteps } from './text/json-pointer.ts';

/** What stands for a secret wherever a person may read it. */
export const MASK = '***';

const SECRET_KEY = /secret|passw(or)?d|passphrase|token|api[-_]?key|credential|private[-_]?key/i;

/** Whether a key's value is to be hidden by its name alone. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key);
}

/** Shorter values may be common words that appear anywhere. */
const SHORTEST_SECRET = 6;

/** Hides values in texts, wherever they stand; those of less than 6 characters stay. */
export function valueMask(values: Iterable<string>): (text: string) => string {
  // Of two that begin alike the longer one first.
  const longestFirst = [...new Set(values)]
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  return (text) => {
    let masked = text;
    for (const value of longestFirst) if (masked.includes(value)) masked = masked.replaceAll(value, MASK);
    return masked;
  };
}

/** Lists of the document whose entries may have values with names like those of secrets. */
const entryBlocks: ReadonlySet<string> = new Set(['components', 'services', 'modules', 'remotes', 'jobs']);

/**
 * Whether a value of the document is to be hidden: all of `auth` but types of
 * handlers and ids of keys, credentials for remotes, a module's environment, keys named like secrets.
 * Also true where the value has another form than it should.
 */
export function isSecretPointer(pointer: string): boolean {
  const steps = pointerSteps(pointer) ?? [];
  const [block, second, third, fourth, fifth] = steps.map((step) => step.toLowerCase());
  if (block === 'auth') {
    const isOfHandler = second === 'handlers';
    return !(isOfHandler && (fourth === 'type' || (fourth === 'config' && fifth === 'keys')));
  }
  if (block === 'remotes' && third === 'auth') {
    return !(fourth === 'entity' || (fourth === 'credentials' && fifth === 'type'));
  }
  if (block === 'modules' && third === 'env') return true;
  if (block === 'cloud') return second !== undefined && isSecretKey(second);
  return entryBlocks.has(block ?? '') && steps.slice(2).some(isSecretKey);
}
