/** Headers that belong to HTTP/2 and that one client sends along. */
const NOT_METADATA: ReadonlySet<string> = new Set(['content-type', 'te', 'grpc-timeout', 'connection']);

/** Keys in lower case, nothing of HTTP/2. */
export function metadataFromWire(
  md: Readonly<Record<string, { readonly values: string[] }>>,
): Record<string, string | string[]> {
  const metadata = Object.create(null) as Record<string, string | string[]>;
  for (const [key, strings] of Object.entries(md)) {
    const name = key.toLowerCase();
    const [first, ...more] = strings.values;
    if (first === undefined || !isMetadata(name)) continue;
    metadata[name] = more.length === 0 ? first : strings.values;
  }
  return metadata;
}

/** The same the other way. */
export function metadataToWire(
  metadata: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, { values: string[] }> {
  const md: Record<string, { values: string[] }> = {};
  for (const [key, value] of Object.entries(metadata)) {
    const name = key.toLowerCase();
    if (value === undefined || !isMetadata(name)) continue;
    md[name] = { values: typeof value === 'string' ? [value] : value };
  }
  return md;
}

function isMetadata(name: string): boolean {
  return !name.startsWith(':') && !NOT_METADATA.has(name);
}
