/** Limits of the file format: writers stay within them, and readers treat anything beyond them as damaged. */
export const limits = {
  /** Of a value, in steps: the difference of two such values, with its sign, still fits a number. */
  value: 2 ** 51 - 1,
  /** Characters of a name or unit. */
  text: 1_024,
  /** Metrics of one source. */
  metrics: 1_024,
  /** Sources in one block. */
  sources: 16_384,
  /** Bytes of a block before and after compression. */
  block: 8 * 1024 * 1024,
} as const;
