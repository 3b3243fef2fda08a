/** Most text that may wait for the console; more is dropped. */
const MAX_WAITING_BYTES = 1_024 * 1_024;

/** The part of a stream that is needed here. */
export interface PrintStream {
  readonly writableLength: number;
  write(text: string): boolean;
}

/** Writes to a stream of the program. If nobody reads it, text is dropped, and the next output reports that. */
export function boundedPrint(stream: PrintStream): (text: string) => void {
  let dropped = 0;
  return (text) => {
    if (stream.writableLength > MAX_WAITING_BYTES) {
      dropped++;
      return;
    }
    if (dropped > 0) stream.write(`telemetry: ${dropped} outputs were dropped, because nobody read them.\n`);
    dropped = 0;
    stream.write(text);
  };
}
