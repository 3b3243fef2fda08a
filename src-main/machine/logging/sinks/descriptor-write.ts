import { write as writeWithCallback, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const writeSome = promisify(writeWithCallback);

/** Pause before the next attempt at a full pipe. */
const FULL_PIPE_DELAY_MS = 20;
/** Attempts of a synchronous write to a full pipe; it cannot wait. */
const FULL_PIPE_TRIES = 1_000;

function isFullPipe(thrown: unknown): boolean {
  return (thrown as NodeJS.ErrnoException).code === 'EAGAIN';
}

/**
 * Writes a whole buffer to an open file, pipe or terminal without blocking the program.
 * @param position in a file, bytes; null writes at the current position of the descriptor
 */
export async function writeAll(descriptor: number, bytes: Buffer, position: number | null = null): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    try {
      const at = position === null ? null : position + done;
      done += (await writeSome(descriptor, bytes, done, bytes.length - done, at)).bytesWritten;
    } catch (thrown) {
      if (!isFullPipe(thrown)) throw thrown;
      await delay(FULL_PIPE_DELAY_MS, undefined, { ref: false });
    }
  }
}

/** The synchronous form; gives up if a pipe stays full. */
export function writeAllSync(descriptor: number, bytes: Buffer, position: number | null = null): void {
  let tries = 0;
  for (let done = 0; done < bytes.length;) {
    try {
      const at = position === null ? null : position + done;
      done += writeSync(descriptor, bytes, done, bytes.length - done, at);
    } catch (thrown) {
      if (!isFullPipe(thrown) || ++tries > FULL_PIPE_TRIES) throw thrown;
    }
  }
}
