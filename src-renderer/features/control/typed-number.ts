export interface NumberLimits {
  readonly min: number;
  readonly max: number;
  readonly isWhole?: boolean;
}

/** What a person typed, as a number or as what is wrong with it. */
export type TypedNumber =
  | { readonly kind: 'empty' }
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'wrong'; readonly why: 'number' | 'whole' | 'range' };

/** Reads what is typed, while it is typed. A comma is a decimal point; a typographic minus is one. */
export function readTyped(text: string, { min, max, isWhole = false }: NumberLimits): TypedNumber {
  const plain = text.trim().replace('−', '-').replace(',', '.');
  if (plain === '') return { kind: 'empty' };
  // Number() would also take 0x10, 1e3 is what an engineer may mean.
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : Number.NaN;
  if (!Number.isFinite(value)) return { kind: 'wrong', why: 'number' };
  if (isWhole && !Number.isInteger(value)) return { kind: 'wrong', why: 'whole' };
  return value < min || value > max ? { kind: 'wrong', why: 'range' } : { kind: 'value', value };
}
