export interface NumberLimits {
  readonly min: number;
  readonly max: number;
  readonly isWhole?: boolean;
}

/** What a person typed, as a number or as what is wrong with it. */
export type TypedNumber =
  | { readonly kind: 'empty' }
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'wrong'; readonly why: 'number' | 'comma' | 'whole' | 'range' };

/** `1,234` as the page writes 1234; elsewhere it is a little more than 1. `0,125` is only the latter. */
const grouped = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;

/** Reads what is typed, while it is typed. A comma is a decimal point, where it cannot be meant to set thousands off; a typographic minus is one. */
export function readTyped(text: string, { min, max, isWhole = false }: NumberLimits): TypedNumber {
  const trimmed = text.trim().replace('−', '-');
  if (trimmed === '') return { kind: 'empty' };
  if (grouped.test(trimmed)) return { kind: 'wrong', why: 'comma' };
  const plain = trimmed.replace(',', '.');
  // Number() would also take 0x10, 1e3 is what an engineer may mean.
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : Number.NaN;
  if (!Number.isFinite(value)) return { kind: 'wrong', why: 'number' };
  if (isWhole && !Number.isInteger(value)) return { kind: 'wrong', why: 'whole' };
  return value < min || value > max ? { kind: 'wrong', why: 'range' } : { kind: 'value', value };
}
