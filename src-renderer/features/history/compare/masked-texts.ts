import { splitSecrets } from '../../../../proto/config/secret-split.ts';
import { MASK } from '../../../../proto/config/secrets.ts';

/** Two texts with their secrets masked. */
export interface MaskedTexts {
  readonly from: string;
  readonly to: string;
  /** True if they differ only in ways that are masked. */
  readonly hidesDifference: boolean;
}

/**
 * Masks the secrets of two configurations; a secret that only `to` has is marked, so that its line differs. A text that
 * is not JSON is masked as a whole, because nobody can tell where its secrets are.
 */
export function maskedTexts(from: string, to: string): MaskedTexts {
  const before = splitSecrets(from);
  const after = splitSecrets(to);
  const known = new Set(before.secrets);
  const shownFrom = joined(before.pieces, () => `"${MASK}"`);
  const shownTo = joined(after.pieces, (index) =>
    known.has(after.secrets[index] ?? '') ? `"${MASK}"` : `"${MASK} (differs)"`,
  );
  return { from: shownFrom, to: shownTo, hidesDifference: shownFrom === shownTo && from !== to };
}

function joined(pieces: readonly string[], mask: (index: number) => string): string {
  return pieces.map((piece, index) => (index === pieces.length - 1 ? piece : piece + mask(index))).join('');
}
