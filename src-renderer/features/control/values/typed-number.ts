export interface NumberLimits {
  readonly min: number;
  readonly max: number;
  readonly isWhole?: boolean;
}

/** A typed text as a number, or what is wrong with it. */
export type TypedNumber =
  | { readonly kind: 'empty' }
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'wrong'; readonly why: 'number' | 'comma' | 'whole' | 'range' };

/** Ambiguous: `1,234` may mean 1234, as the page writes it, or 1.234. `0,125` can only be a decimal. */
const grouped = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;

/**
 * Reads a typed number. A comma is a decimal point where it cannot be a thousands separator; a typographic minus sign
 * counts as minus.
 */
export function readTyped(text: string, { min, max, isWhole = false }: NumberLimits): TypedNumber {
  const trimmed = text.trim().replace('−', '-');
  if (trimmed === '') return { kind: 'empty' };
  if (grouped.test(trimmed)) return { kind: 'wrong', why: 'comma' };
  const plain = trimmed.replace(',', '.');
  // Number() alone would also accept 0x10. An exponent such as 1e3 is allowed.
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : Number.NaN;
  if (!Number.isFinite(value)) return { kind: 'wrong', why: 'number' };
  if (isWhole && !Number.isInteger(value)) return { kind: 'wrong', why: 'whole' };
  return value < min || value > max ? { kind: 'wrong', why: 'range' } : { kind: 'value', value };
}
