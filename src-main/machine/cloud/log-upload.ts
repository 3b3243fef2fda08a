import { PartServiceDefinition } from '../../../proto/gen/core/hub/v1/part.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger, LogLevel } from '../../base/logger.ts';
import type { LogRegistry } from '../logging/log-registry.ts';
import { Delivery } from '../outbox/delivery.ts';
import { toWireEntry } from '../services/log-service.ts';
import type { HubLink } from './hub-link.ts';

export interface LogUploaderOptions {
  readonly partId: () => string;
  readonly logs: Pick<LogRegistry, 'addSink'> & {
    readonly reader: Pick<LogRegistry['reader'], 'id' | 'after' | 'charsBehind'>;
  };
  readonly link: Pick<HubLink, 'call' | 'isConnected' | 'onChange'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Undefined: at 20 and 60 million characters. */
  readonly logShedding?: LogShedding;
}

/** Entries logged within this time are sent together. */
const BATCH_MS = 250;
const BATCH_ENTRIES = 500;
const UPLOAD_MS = 20_000;

const everything: ReadonlySet<LogLevel> = new Set<LogLevel>(['debug', 'info', 'warn', 'error']);

/**
 * Lowest level that is sent when the upload is this many characters behind: it catches up by leaving out lower levels.
 * Largest first.
 */
export type LogShedding = readonly { readonly chars: number; readonly levels: ReadonlySet<LogLevel> }[];

const defaultLogShedding: LogShedding = [
  { chars: 60_000_000, levels: new Set<LogLevel>(['warn', 'error']) },
  { chars: 20_000_000, levels: new Set<LogLevel>(['info', 'warn', 'error']) },
];

/**
 * Sends this machine's log to its hub. The log on the disk is the queue: the hub states how far it has stored the log,
 * also after a restart of the hub, and the machine continues there. The queue is limited only by the limit of the log.
 */
export class LogUploader {
  readonly #options: LogUploaderOptions;
  readonly #delivery: Delivery;
  /** What the hub has stored; undefined until it has said so on this connection. */
  #storedSeq: number | undefined;

  constructor(options: LogUploaderOptions) {
    const { logs, link, clock, logger } = options;
    this.#options = options;
    this.#delivery = new Delivery({
      link,
      send: () => this.#sendBatch(),
      onLinkChange: () => (this.#storedSeq = undefined),
      trouble: 'The hub does not take the log, which is kept here meanwhile',
      clock,
      logger,
    });
    logs.addSink({
      name: 'the hub',
      write: () => this.#delivery.wake(BATCH_MS),
      flushSync: () => undefined,
      close: () => Promise.resolve(),
    });
  }

  close(): void {
    this.#delivery.close();
  }

  /** @returns whether there may be more */
  async #sendBatch(): Promise<boolean> {
    const { logs, link } = this.#options;
    const partId = this.#options.partId();
    const upload = async (entries: ReturnType<typeof toWireEntry>[]): Promise<number> => {
      const request = { partId, logId: logs.reader.id, entries };
      return Number((await link.call(PartServiceDefinition, 'uploadLogs', request, UPLOAD_MS)).storedSeq);
    };
    const storedSeq = this.#storedSeq ?? (await upload([]));
    const levels = await this.#levels(storedSeq);
    const { entries, lastSeq } = await logs.reader.after(storedSeq, levels, BATCH_ENTRIES);
    if (entries.length > 0) await upload(entries.map(toWireEntry));
    this.#storedSeq = lastSeq;
    return lastSeq > storedSeq;
  }

  async #levels(storedSeq: number): Promise<ReadonlySet<LogLevel>> {
    const { logs, logShedding = defaultLogShedding } = this.#options;
    const behind = await logs.reader.charsBehind(storedSeq);
    return logShedding.find(({ chars }) => behind >= chars)?.levels ?? everything;
  }
}
