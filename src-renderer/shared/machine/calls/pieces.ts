/** Small enough that what moves and what stops is not held up behind a piece. */
const pieceBytes = 64 * 1024;

/**
 * A file in pieces. Each is read when the one before was taken.
 * @param onSent is told of bytes that are on their way, all together
 */
export async function* piecesOf(file: Blob, onSent: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += pieceBytes) {
    yield new Uint8Array(await file.slice(at, at + pieceBytes).arrayBuffer());
    onSent(Math.min(at + pieceBytes, file.size));
  }
}
