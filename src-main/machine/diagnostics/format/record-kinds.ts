/** The kind of a record in a block: its first byte. */
export const recordKinds = {
  /** A source and its metrics; sources are numbered in the order in which they are described. */
  source: 0,
  /** One moment, and the values of the sources at that moment. */
  sample: 1,
} as const;
