import { PartServiceDefinition } from '../../../proto/gen/core/hub/v1/part.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger, LogLevel } from '../../base/logger.ts';
import type { LogRegistry } from '../logging/log-registry.ts';
import { toWireEntry } from '../services/log-service.ts';
import type { HubLink } from './hub-link.ts';

export interface LogUploaderOptions {
  readonly partId: () => string;
  readonly logs: Pick<LogRegistry, 'addSink'> & {
    readonly past: Pick<LogRegistry['past'], 'id' | 'after' | 'filesBehind'>;
  };
  readonly link: Pick<HubLink, 'call' | 'state' | 'onChange'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What is logged within this time goes together. */
const BATCH_MS = 250;
const BATCH_ENTRIES = 500;
const RETRY_MS = 5_000;
const UPLOAD_MS = 20_000;

const everything: ReadonlySet<LogLevel> = new Set<LogLevel>(['debug', 'info', 'warn', 'error']);

/** Who is so many files behind leaves out the lower levels, and catches up with what matters (B4.3). */
const sparing: readonly { readonly files: number; readonly levels: ReadonlySet<LogLevel> }[] = [
  { files: 6, levels: new Set<LogLevel>(['warn', 'error']) },
  { files: 2, levels: new Set<LogLevel>(['info', 'warn', 'error']) },
];

/**
 * Sends this machine's log to its hub. The log on the disk is the queue: the
 * hub says how far it has it, also after its own restart, and the machine goes
 * on from there. Its limit is that of the log itself.
 */
export class LogUploader {
  readonly #options: LogUploaderOptions;
  readonly #forget: () => void;
  /** What the hub has; undefined until it has said so on this connection. */
  #storedSeq: number | undefined;
  #wake: Timer | undefined;
  #isSending = false;
  #isClosed = false;
  #trouble = '';

  constructor(options: LogUploaderOptions) {
    this.#options = options;
    options.logs.addSink({
      name: 'the hub',
      write: () => this.#later(BATCH_MS),
      flushSync: () => undefined,
      close: () => Promise.resolve(),
    });
    this.#forget = options.link.onChange(() => {
      this.#storedSeq = undefined;
      this.#later(0);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#forget();
    this.#wake?.cancel();
  }

  #later(ms: number): void {
    const { kind } = this.#options.link.state;
    if (this.#wake !== undefined || this.#isClosed || (kind !== 'online' && kind !== 'polling')) return;
    this.#wake = this.#options.clock.after(ms, () => {
      this.#wake = undefined;
      void this.#send();
    });
  }

  async #send(): Promise<void> {
    // Whoever is sending looks for more before it ends.
    if (this.#isSending) return;
    this.#isSending = true;
    let againMs: number | undefined;
    try {
      while (!this.#isClosed && (await this.#sendBatch()));
      this.#trouble = '';
    } catch (thrown) {
      const error = toArmatureError(thrown);
      // The link itself says that the hub is away.
      if (error.code !== 'hub.unreachable' && error.message !== this.#trouble) {
        this.#options.logger.warn(`The hub does not take the log, which is kept here meanwhile: ${error.message}`);
      }
      this.#trouble = error.message;
      againMs = RETRY_MS;
    } finally {
      this.#isSending = false;
    }
    if (againMs !== undefined) this.#later(againMs);
  }

  /** @returns whether there may be more */
  async #sendBatch(): Promise<boolean> {
    const { logs, link } = this.#options;
    const partId = this.#options.partId();
    const upload = async (entries: ReturnType<typeof toWireEntry>[]): Promise<number> => {
      const request = { partId, logId: logs.past.id, entries };
      return Number((await link.call(PartServiceDefinition, 'uploadLogs', request, UPLOAD_MS)).storedSeq);
    };
    const storedSeq = this.#storedSeq ?? (await upload([]));
    const behind = logs.past.filesBehind(storedSeq);
    const levels = sparing.find(({ files }) => behind >= files)?.levels ?? everything;
    const { entries, lastSeq } = await logs.past.after(storedSeq, levels, BATCH_ENTRIES);
    if (entries.length > 0) await upload(entries.map(toWireEntry));
    this.#storedSeq = lastSeq;
    return lastSeq > storedSeq;
  }
}
