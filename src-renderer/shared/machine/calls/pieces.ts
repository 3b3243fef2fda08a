/** Small enough that calls that move or stop something do not wait long behind a piece. */
const pieceBytes = 64 * 1024;

/**
 * A file in pieces. Each is read when the previous one was taken.
 * @param onSent called with the total of bytes sent so far
 */
export async function* piecesOf(file: Blob, onSent: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += pieceBytes) {
    yield new Uint8Array(await file.slice(at, at + pieceBytes).arrayBuffer());
    onSent(Math.min(at + pieceBytes, file.size));
  }
}
