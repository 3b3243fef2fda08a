import { PartServiceDefinition } from '../../../proto/gen/core/hub/v1/part.ts';
import { ConfigServiceDefinition, type Result } from '../../../proto/gen/core/config/v1/config.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { revisionOf } from '../../base/revision.ts';
import type { ConfigOrigin } from '../config/config-source.ts';
import type { ConfigState } from '../config-state.ts';
import type { Configuration } from '../configuration.ts';
import { toResult } from '../services/config-service.ts';
import type { HubLink } from './hub-link.ts';
import { toldAlready } from './told-already.ts';

export interface ConfigReporterOptions {
  readonly partId: () => string;
  readonly configuration: Pick<Configuration, 'state' | 'subscribe'>;
  readonly link: Pick<HubLink, 'call' | 'state' | 'onChange'>;
  /** A file owns the configuration: the hub is told its texts too. */
  readonly ownsConfig: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Report =
  | { readonly kind: 'text'; readonly text: string; readonly origin: ConfigOrigin }
  | { readonly kind: 'result'; readonly result: Result; readonly origin: ConfigOrigin };

/** Reports that wait for a hub that is away; of more, the oldest are let go. */
const MOST_WAITING = 200;
const STORE_MS = 20_000;
/** A hub that is connected and cannot do it now is asked again after this. */
const RETRY_MS = 5_000;

/**
 * Tells the hub how each text fared and, where a file owns the configuration,
 * each text that was applied. In order, and not lost while the hub is away.
 */
export class ConfigReporter {
  readonly #options: ConfigReporterOptions;
  readonly #waiting: Report[] = [];
  readonly #endings: readonly (() => void)[];
  #lastText = '';
  #lastResult = '';
  #isSending = false;
  /** Since the link stands the hub was asked what it has of what waits. */
  #hasCompared = false;
  #retry: Timer | undefined;
  #isClosed = false;

  constructor(options: ConfigReporterOptions) {
    const { configuration, link } = options;
    this.#options = options;
    this.#endings = [configuration.subscribe(() => this.#look()), link.onChange(() => void this.#send())];
  }

  close(): void {
    this.#isClosed = true;
    this.#retry?.cancel();
    for (const end of this.#endings) end();
  }

  #look(): void {
    const { state } = this.#options.configuration;
    const { outcome, revision, text, origin } = state;
    // A text that could not be used was never applied: a file may hold anything while it is written.
    const isUsed = outcome.kind !== 'rejected' || outcome.revision !== revision;
    if (this.#options.ownsConfig && isUsed && revision !== this.#lastText && revision !== '') {
      this.#lastText = revision;
      this.#add({ kind: 'text', text, origin });
    }
    if (outcome.kind === 'applying' || outcome.revision === '') return;
    const key = `${outcome.kind} ${outcome.revision} ${outcome.at} ${state.appliedRevision === revision}`;
    if (key === this.#lastResult) return;
    this.#lastResult = key;
    for (const result of resultsOf(state)) this.#add({ kind: 'result', result, origin });
  }

  #add(report: Report): void {
    this.#waiting.push(report);
    if (this.#waiting.length > MOST_WAITING) {
      this.#waiting.shift();
      this.#options.logger.warn('The hub is away for long: the oldest of what it is to be told is let go.');
    }
    void this.#send();
  }

  async #send(): Promise<void> {
    const { link, logger } = this.#options;
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (;;) {
        const [report] = this.#waiting;
        if (!isConnected(link)) this.#hasCompared = false;
        if (report === undefined || this.#isClosed || !isConnected(link)) return;
        try {
          if (await this.#passOver()) continue;
          await this.#deliver(report);
        } catch (thrown) {
          const error = toArmatureError(thrown);
          if (error.info.retryable || error.code === 'hub.refused') {
            // The hub passes over what it has already.
            this.#retry?.cancel();
            this.#retry = this.#options.clock.after(RETRY_MS, () => void this.#send());
            return;
          }
          logger.warn(`The hub does not take ${inWords(report)}: ${error.message}`);
        }
        if (this.#waiting[0] === report) this.#waiting.shift();
      }
    } finally {
      this.#isSending = false;
    }
  }

  /**
   * Lets go of what the hub was told by another program that served the same file while this one had no hub.
   * @returns whether there was any
   */
  async #passOver(): Promise<boolean> {
    const texts = this.#waiting.filter((report) => report.kind === 'text');
    if (this.#hasCompared || texts.length < 2) return false;
    const partId = this.#options.partId();
    const request = { partId, limit: MOST_WAITING, pageToken: '', text: '', resource: '', tagged: false };
    const { versions } = await this.#options.link.call(ConfigServiceDefinition, 'history', request);
    this.#hasCompared = true;
    const stored = versions.map(({ revision }) => revision);
    const seen = texts.map(({ text }) => revisionOf(text));
    const last = texts[toldAlready(seen, stored) - 1];
    if (last === undefined) return false;
    this.#waiting.splice(0, this.#waiting.indexOf(last) + 1);
    return true;
  }

  async #deliver(report: Report): Promise<void> {
    const { link } = this.#options;
    const partId = this.#options.partId();
    const { origin } = report;
    const { summary } = origin;
    const subjects = [...origin.subjects];
    if (report.kind === 'result') {
      const request = { partId, result: report.result, summary, subjects };
      await link.call(PartServiceDefinition, 'reportResult', request);
      return;
    }
    const { author, authorKeyId, note, restoredFrom } = origin;
    const request = { partId, text: report.text, baseRevision: '', author, authorKeyId, note, summary, subjects };
    await link.call(PartServiceDefinition, 'storeConfig', { ...request, restoredFrom: BigInt(restoredFrom) }, STORE_MS);
  }
}

/** Of a text that was left there are two things to tell: that it was, and how the one it was left for is doing. */
function resultsOf(state: ConfigState): Result[] {
  const { outcome, revision, appliedRevision, appliedAt } = state;
  // What waits is asked of the machine while it does: the history keeps that it waited.
  const result = toResult({ ...outcome, deferred: undefined }, undefined);
  if (outcome.kind !== 'returned' || appliedRevision !== revision) return [result];
  const { message, tookMs } = outcome;
  const applied = { kind: 'applied', revision, message, at: appliedAt } as const;
  return [result, toResult(tookMs === undefined ? applied : { ...applied, tookMs }, undefined)];
}

function isConnected({ state }: Pick<HubLink, 'state'>): boolean {
  return state.kind === 'online' || state.kind === 'polling';
}

function inWords(report: Report): string {
  return report.kind === 'text' ? 'a configuration into its history' : `the result of ${report.result.revision}`;
}
