/** An id that no other has, of 16 hexadecimal digits. Not `crypto.randomUUID`, which a page over plain HTTP does not have. */
export function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
