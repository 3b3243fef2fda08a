import { pointerSteps } from './text/json-pointer.ts';

/** What stands for a secret wherever a person may read it. */
export const MASK = '***';

const SECRET_KEY = /secret|passw(or)?d|passphrase|token|api[-_]?key|credential|private[-_]?key/i;

/** Whether a key's value is to be hidden by its name alone. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key);
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
