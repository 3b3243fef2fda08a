/** What a record of a block is, its first byte. */
export const recordKinds = {
  /** A source and its metrics; sources are numbered in the order in which they are described. */
  source: 0,
  /** A moment, and what sources said then. */
  sample: 1,
} as const;
