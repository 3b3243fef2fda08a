/** The message of any thrown value. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message;
  if (typeof thrown === 'string' && thrown !== '') return thrown;
  return `it threw ${describeValue(thrown)}`;
}

function describeValue(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    // A circular reference or a BigInt: only its type can be given.
    return typeof value;
  }
}
