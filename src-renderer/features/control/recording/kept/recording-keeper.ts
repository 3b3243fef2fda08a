import { messageOf } from '../../../../shared/machine/rpc/follow-stream.ts';
import type { KeptRecording, Shelf } from './shelf.ts';

/** A crash loses at most what came within this time. */
const KEPT_EVERY_MS = 1_000;
const MAX_PENDING = 64_000;

/** Why a recording cannot go on. `reason` is '' where it has reached its limit. */
export interface KeeperProblem {
  readonly kind: 'full' | 'noRoom';
  readonly reason: string;
}

/** Keeps the text of one recording on a shelf while it is written. */
export class RecordingKeeper {
  readonly #shelf: Shelf;
  readonly #now: () => number;
  readonly #onProblem: (problem: KeeperProblem) => void;
  readonly #encoder = new TextEncoder();
  #recording: KeptRecording;
  #pending: string[] = [];
  #pendingLength = 0;
  #parts = 0;
  #keptAt: number;
  #hasProblem = false;
  #writing: Promise<void> = Promise.resolve();
  /** Parts that the shelf had no room for, in memory. */
  readonly #left: Uint8Array<ArrayBuffer>[] = [];

  /**
   * @param now `performance.now`, ms
   * @param onProblem called once, where it cannot go on; what is written later is kept, if only in memory
   */
  constructor(
    shelf: Shelf,
    recording: Pick<KeptRecording, 'id' | 'machine' | 'startedAt'>,
    now: () => number,
    onProblem: (problem: KeeperProblem) => void,
  ) {
    this.#shelf = shelf;
    this.#recording = { ...recording, lengthMs: 0, bytes: 0, isSaved: false };
    this.#now = now;
    this.#keptAt = now();
    this.#onProblem = onProblem;
  }

  /** As it is kept. */
  get recording(): KeptRecording {
    return this.#recording;
  }

  /** Parts that are only in memory, after those of the shelf. */
  get left(): readonly Uint8Array<ArrayBuffer>[] {
    return this.#left;
  }

  /** Takes a line. Keeps a part once a second: not by a timer, which a hidden page has once a minute. */
  write(line: string): void {
    this.#pending.push(line);
    this.#pendingLength += line.length;
    if (this.#pendingLength > MAX_PENDING || this.#now() - this.#keptAt >= KEPT_EVERY_MS) this.flush();
  }

  /** Keeps what is pending as a part. */
  flush(lengthMs?: number): void {
    this.#keptAt = this.#now();
    if (this.#pending.length === 0) return;
    const bytes = this.#encoder.encode(this.#pending.join(''));
    this.#pending = [];
    this.#pendingLength = 0;
    this.#recording = {
      ...this.#recording,
      bytes: this.#recording.bytes + bytes.length,
      lengthMs: lengthMs ?? Math.round(Date.now() - this.#recording.startedAt),
    };
    const [recording, index] = [this.#recording, this.#parts++];
    this.#writing = this.#writing.then(() => this.#keep(recording, index, bytes));
    if (recording.bytes > this.#shelf.limitBytes) this.#tell({ kind: 'full', reason: '' });
  }

  /** Keeps the rest; resolves when everything is kept. */
  async close(lengthMs: number): Promise<void> {
    this.flush(lengthMs);
    await this.#writing;
  }

  async #keep(recording: KeptRecording, index: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    if (this.#left.length === 0) {
      try {
        await this.#shelf.keep(recording, { index, bytes });
        return;
      } catch (thrown) {
        this.#tell({ kind: 'noRoom', reason: messageOf(thrown) });
      }
    }
    this.#left.push(bytes);
  }

  #tell(problem: KeeperProblem): void {
    if (this.#hasProblem) return;
    this.#hasProblem = true;
    this.#onProblem(problem);
  }
}
