/** What a credential belongs to. */
export interface Holder {
  readonly kind: 'api-key' | 'part-secret' | 'module-key';
  /** Id of the key, or of the part for its secrets. */
  readonly id: string;
}

/** As the public protocol calls them: it knows one type of key, and modules say that theirs is one. */
export const holderKinds: ReadonlyMap<string, readonly Holder['kind'][]> = new Map<string, Holder['kind'][]>([
  ['api-key', ['api-key', 'module-key']],
  ['robot-secret', ['part-secret']],
]);

/** As one text, by which a holder is found. */
export function holderKey({ kind, id }: Holder): string {
  return `${kind} ${id}`;
}

/** The way back. */
export function holderOfKey(key: string): Holder {
  const space = key.indexOf(' ');
  return { kind: key.slice(0, space) as Holder['kind'], id: key.slice(space + 1) };
}
