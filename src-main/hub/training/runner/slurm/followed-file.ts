import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { codeOf } from '../../../../base/errors.ts';
import { OutputLines } from '../script/output-lines.ts';

const CHUNK_BYTES = 65_536;
const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];
/** Safe even if the script replaces the file by a pipe or a link. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads the lines of a file while another process writes to it. */
export class FollowedFile {
  readonly #path: string;
  readonly #lines: OutputLines;
  #position: number;
  #resumeAt: number;

  /** @param position where to begin: {@link resumeAt} of an earlier reader, or 0 */
  constructor(path: string, position: number, onLine: (line: string) => void) {
    this.#path = path;
    this.#lines = new OutputLines(onLine);
    this.#position = position;
    this.#resumeAt = position;
  }

  /** Position after the last complete line that was passed on. */
  get resumeAt(): number {
    return this.#resumeAt;
  }

  /**
   * Passes on the lines that were written since the last call; none if the file does not exist yet.
   * @throws other errors of the file system
   */
  async read(): Promise<void> {
    const file = await open(this.#path, FLAGS).catch((thrown: unknown) => {
      if (codeOf(thrown) === 'ENOENT') return undefined;
      throw thrown;
    });
    if (file === undefined) return;
    try {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, this.#position);
        if (bytesRead === 0) return;
        const chunk = buffer.subarray(0, bytesRead);
        const end = Math.max(chunk.lastIndexOf(LINE_FEED), chunk.lastIndexOf(CARRIAGE_RETURN));
        if (end >= 0) this.#resumeAt = this.#position + end + 1;
        this.#position += bytesRead;
        this.#lines.write(chunk);
      }
    } finally {
      await file.close();
    }
  }

  /** Call this when nothing more is written: passes on the rest as a line. */
  end(): void {
    this.#lines.end();
    this.#resumeAt = this.#position;
  }
}
