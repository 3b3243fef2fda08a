/** Header values of a call. Keys are lower case; values of keys ending in `-bin` are base64. */
export type MetadataRecord = Record<string, string | string[]>;

/** Reads one value of a header; the first of several. */
export function firstValue(
  metadata: Readonly<Record<string, string | string[] | undefined>>,
  key: string,
): string | undefined {
  const value = metadata[key];
  return typeof value === 'string' ? value : value?.[0];
}
