/** The sentence in anything that was thrown. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message;
  if (typeof thrown === 'string' && thrown !== '') return thrown;
  return `it threw ${describeValue(thrown)}`;
}

function describeValue(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    // It has a circular reference or a BigInt: only its type can be given.
    return typeof value;
  }
}
