/** Bounds of the file format: a writer keeps them, and a reader takes nothing beyond them for whole. */
export const limits = {
  /** Of a value, in steps: the difference of two such still fits a number with room for its sign. */
  value: 2 ** 51 - 1,
  /** Characters of a name or unit. */
  text: 1_024,
  /** Metrics of one source. */
  metrics: 1_024,
  /** Sources that one block describes. */
  sources: 16_384,
  /** Bytes of a block before it is compressed, and after. */
  block: 8 * 1024 * 1024,
} as const;
