/** What a credential belongs to. */
export interface Holder {
  readonly kind: 'api-key' | 'part-secret' | 'module-key';
  /** Id of the key, or of the part for its secrets. */
  readonly id: string;
}

/** Holder kinds by their credential type in the public protocol. It has one type for keys, so modules use it too. */
export const holderKinds: ReadonlyMap<string, readonly Holder['kind'][]> = new Map<string, Holder['kind'][]>([
  ['api-key', ['api-key', 'module-key']],
  ['robot-secret', ['part-secret']],
]);

/** The map key of a holder; {@link parseHolderKey} reads it. */
export function holderKey({ kind, id }: Holder): string {
  return `${kind} ${id}`;
}

/** The holder that a map key stands for. */
export function parseHolderKey(key: string): Holder {
  const space = key.indexOf(' ');
  return { kind: key.slice(0, space) as Holder['kind'], id: key.slice(space + 1) };
}
