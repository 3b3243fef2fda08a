import { ConfigServiceDefinition, type Result } from '../../../proto/gen/core/config/v1/config.ts';
import { PartServiceDefinition, ReportResultRequest, StoreConfigRequest } from '../../../proto/gen/core/hub/v1/part.ts';
import { encodeMessage } from '../../../proto/message.ts';
import type { Clock } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { revisionOf } from '../../base/revision.ts';
import type { ConfigOrigin } from '../config/source/config-source.ts';
import type { ConfigState } from '../apply/config-state.ts';
import type { Configuration } from '../apply/configuration.ts';
import { Delivery } from '../outbox/delivery.ts';
import { Outbox } from '../outbox/outbox.ts';
import { toResult } from '../services/config-service.ts';
import type { HubLink } from './hub-link.ts';
import { countAlreadyStored } from './already-stored.ts';

export interface ConfigReporterOptions {
  readonly partId: () => string;
  readonly configuration: Pick<Configuration, 'state' | 'subscribe'>;
  readonly link: Pick<HubLink, 'call' | 'isConnected' | 'onChange'>;
  /** A file owns the configuration: its texts are reported to the hub too. */
  readonly ownsConfig: boolean;
  /** Where reports wait for the hub over restarts; undefined keeps them in memory. */
  readonly folder: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A call to the hub, whose part is filled in when it is made. */
type Report =
  | { readonly kind: 'text'; readonly request: StoreConfigRequest }
  | { readonly kind: 'result'; readonly request: ReportResultRequest };

const MAX_WAITING = 200;
/** A configuration has 32 MiB at most. */
const MAX_CHARS = 100 * 1024 * 1024;
const STORE_MS = 20_000;

/**
 * Reports to the hub the result of each text and, if a file owns the configuration, each applied text. Reports are sent
 * in order, and are not lost while the hub is offline.
 */
export class ConfigReporter {
  readonly #options: ConfigReporterOptions;
  readonly #outbox: Outbox<Report>;
  readonly #delivery: Delivery;
  readonly #unsubscribe: () => void;
  #lastText = '';
  #lastResult = '';
  /** Whether the hub was asked on this connection which of the waiting texts it has. */
  #hasCompared = false;

  constructor(options: ConfigReporterOptions) {
    const { configuration, link, folder, clock, logger } = options;
    this.#options = options;
    this.#outbox = new Outbox({
      folder,
      what: 'configurations and their results',
      toText: reportToText,
      fromText: reportFromText,
      maxItems: MAX_WAITING,
      maxChars: MAX_CHARS,
      logger,
    });
    this.#delivery = new Delivery({
      link,
      send: () => this.#send(),
      onLinkChange: () => (this.#hasCompared = false),
      trouble: 'The hub does not accept reports about configurations, which are kept here meanwhile',
      clock,
      logger,
    });
    this.#unsubscribe = configuration.subscribe(() => this.#onConfigState());
    // Reports of an earlier run.
    void this.#outbox.loaded().then(() => this.#delivery.wake());
  }

  /** Settles when the unsent reports are saved. */
  async close(): Promise<void> {
    this.#unsubscribe();
    this.#delivery.close();
    await this.#outbox.close();
  }

  #onConfigState(): void {
    const { state } = this.#options.configuration;
    const { outcome, revision, text, origin } = state;
    // A text that could not be used was never applied: a file may contain anything while it is being written.
    const isUsed = outcome.kind !== 'rejected' || outcome.revision !== revision;
    if (this.#options.ownsConfig && isUsed && revision !== this.#lastText && revision !== '') {
      this.#lastText = revision;
      this.#add({ kind: 'text', request: { ...descriptionOf(origin), text, ...authorship(origin) } });
    }
    if (outcome.kind === 'applying' || outcome.revision === '') return;
    const key = `${outcome.kind} ${outcome.revision} ${outcome.at} ${state.appliedRevision === revision}`;
    if (key === this.#lastResult) return;
    this.#lastResult = key;
    for (const result of resultsOf(state)) this.#add({ kind: 'result', request: { ...descriptionOf(origin), result } });
  }

  #add(report: Report): void {
    void this.#outbox.add(report).then(() => this.#delivery.wake());
  }

  async #send(): Promise<boolean> {
    await this.#outbox.loaded();
    await this.#passOver();
    const [report] = this.#outbox.items;
    if (report === undefined) return false;
    try {
      await this.#deliver(report);
    } catch (thrown) {
      const error = toArmatureError(thrown);
      // The hub skips texts that it has already.
      if (error.info.retryable || error.code === 'hub.refused') throw thrown;
      this.#options.logger.warn(`The hub does not take ${describeReport(report)}: ${error.message}`);
    }
    this.#outbox.remove(report);
    return true;
  }

  /** Drops reports that another program on the same file sent to the hub while this one was disconnected. */
  async #passOver(): Promise<void> {
    const waiting = this.#outbox.items;
    const texts = waiting.filter((report) => report.kind === 'text');
    if (this.#hasCompared || texts.length < 2) return;
    const partId = this.#options.partId();
    const request = { partId, limit: MAX_WAITING, pageToken: '', text: '', resource: '', tagged: false };
    const { versions } = await this.#options.link.call(ConfigServiceDefinition, 'history', request);
    this.#hasCompared = true;
    const stored = versions.map(({ revision }) => revision);
    const seen = texts.map(({ request: { text } }) => revisionOf(text));
    const last = texts[countAlreadyStored(seen, stored) - 1];
    if (last === undefined) return;
    for (const known of waiting.slice(0, waiting.indexOf(last) + 1)) this.#outbox.remove(known);
  }

  async #deliver(report: Report): Promise<void> {
    const { link } = this.#options;
    const partId = this.#options.partId();
    if (report.kind === 'result') await link.call(PartServiceDefinition, 'reportResult', { ...report.request, partId });
    else await link.call(PartServiceDefinition, 'storeConfig', { ...report.request, partId }, STORE_MS);
  }
}

function descriptionOf({ summary, subjects }: ConfigOrigin) {
  return { partId: '', summary, subjects: [...subjects] };
}

function authorship({ author, authorKeyId, note, restoredFrom }: ConfigOrigin) {
  return { baseRevision: '', author, authorKeyId, note, restoredFrom: BigInt(restoredFrom) };
}

function reportToText({ kind, request }: Report): string {
  const bytes =
    kind === 'text' ? encodeMessage(StoreConfigRequest, request) : encodeMessage(ReportResultRequest, request);
  return JSON.stringify({ kind, request: Buffer.from(bytes).toString('base64') });
}

function reportFromText(text: string): Report {
  const { kind, request } = JSON.parse(text) as { readonly kind?: unknown; readonly request?: unknown };
  if (typeof request !== 'string') throw new Error('it has no request');
  const bytes = Buffer.from(request, 'base64');
  if (kind === 'text') return { kind, request: StoreConfigRequest.decode(bytes) };
  if (kind === 'result') return { kind, request: ReportResultRequest.decode(bytes) };
  throw new Error('it is of an unknown kind');
}

/** A rollback has two results: of the text that was rolled back, and of the previous text. */
function resultsOf(state: ConfigState): Result[] {
  const { outcome, revision, appliedRevision, appliedAt } = state;
  // The machine itself shows what is deferred now; the history records that it was.
  const result = toResult({ ...outcome, deferred: undefined }, undefined);
  if (outcome.kind !== 'rolled-back' || appliedRevision !== revision) return [result];
  const { message, tookMs } = outcome;
  const applied = { kind: 'applied', revision, message, at: appliedAt } as const;
  return [result, toResult(tookMs === undefined ? applied : { ...applied, tookMs }, undefined)];
}

function describeReport(report: Report): string {
  return report.kind === 'text'
    ? 'a configuration into its history'
    : `the result of ${report.request.result?.revision ?? ''}`;
}
