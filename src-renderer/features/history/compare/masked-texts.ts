import { splitSecrets } from '../../../../proto/config/secret-split.ts';
import { MASK } from '../../../../proto/config/secrets.ts';

/** Two texts as they may be shown. */
export interface MaskedTexts {
  readonly from: string;
  readonly to: string;
  /** Something differs that is not shown. */
  readonly hidesDifference: boolean;
}

/**
 * Two configurations with their secrets hidden; one that only `to` has says so, so that the line differs. A text that is
 * no JSON is a secret as a whole, because nobody can tell where its secrets are.
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
