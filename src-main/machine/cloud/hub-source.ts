import { PartServiceDefinition, type StoredConfig } from '../../../proto/gen/core/hub/v1/part.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { revisionOf } from '../../base/revision.ts';
import { withTimeout } from '../../base/async/timeout.ts';
import type {
  ConfigChange,
  ConfigOrigin,
  ConfigSource,
  ConfigText,
  WriteOutcome,
} from '../config/source/config-source.ts';
import { Delivery } from '../outbox/delivery.ts';
import type { CachedConfig, ConfigCache, Membership } from './config-cache.ts';
import type { HubLink, HubUpdate } from './hub-link.ts';

export interface HubSourceOptions {
  readonly partId: string;
  readonly link: Pick<HubLink, 'start' | 'call' | 'state' | 'isConnected' | 'hubName' | 'onChange'>;
  readonly cache: ConfigCache;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether a text can be run: only such a text is cached for the next start. */
  readonly isUsable: (text: string) => boolean;
}

/** How long to wait for a newer text from the hub, if a cached one exists. */
const RACE_MS = 1_000;
/** The same if none exists. */
const FIRST_START_MS = 15_000;
/** Storing a text: the hub may ask its database, and the text may be large. */
const STORE_MS = 20_000;

const NOTHING: Version = { text: '', revision: '', number: 0 };

/** A version as stored by the hub. */
interface Version extends ConfigText {
  readonly number: number;
}

/**
 * The configuration of a part, owned by its hub. Versions are reported as they are pushed, the newest only; a cached
 * copy lets the machine start without the hub.
 */
export class HubSource implements ConfigSource {
  readonly kind = 'hub';
  /** `hub https://...` */
  readonly path: string;
  readonly #options: HubSourceOptions;
  #listener: ((change: ConfigChange) => void) | undefined;
  /** The newest version at the hub that this machine knows; sent when it connects. */
  #newest: Version = NOTHING;
  /** The last one reported or written: what the machine has. */
  #current: Version = NOTHING;
  /** The contents of the cache. */
  #kept: CachedConfig | undefined;
  #membership: Membership | undefined;
  /** The machine rolled back from the version with this revision by itself, and the hub does not know yet. */
  #leftRevision = '';
  /** Number of texts being stored; meanwhile pushed versions wait, because they may be those texts. */
  #writes = 0;
  #pushedMeanwhile: Version | undefined;
  #hasNews: () => void = () => undefined;
  /** Reports a rollback to the hub that happened while it was offline. */
  readonly #returns: Delivery;

  constructor(options: HubSourceOptions) {
    this.#options = options;
    this.path = `hub ${options.link.hubName}`;
    const { link, clock, logger } = options;
    this.#returns = new Delivery({
      link,
      send: () => this.#tellOfReturn(),
      // A hub that refuses the credentials is not waited for.
      onLinkChange: () => {
        if (link.state.kind === 'refused') this.#hasNews();
      },
      trouble: 'The hub does not know yet that the machine rolled back to an earlier configuration',
      clock,
      logger,
    });
  }

  /** Revision of the configuration that this part has from its hub. */
  get revision(): string {
    return this.#newest.revision;
  }

  /** The hub's last description of this part, perhaps from an earlier start. */
  get membership(): Membership | undefined {
    return this.#membership;
  }

  /** Stores the hub's description of this part. */
  setMembership(membership: Membership): void {
    this.#membership = membership;
    if (this.#kept !== undefined) this.#keep(this.#kept);
  }

  /**
   * Starts the link, and returns the newest usable text: the hub's if it answers soon, else the cached one; '' if there
   * is neither.
   */
  async read(): Promise<ConfigText> {
    const { link, clock, logger, isUsable } = this.#options;
    const kept = await this.#recall();
    // Keeps the program alive while it serves nothing yet.
    const alive = setInterval(() => undefined, FIRST_START_MS);
    const news = new Promise<void>((resolve) => (this.#hasNews = resolve));
    link.start();
    const ms = kept === undefined ? FIRST_START_MS : RACE_MS;
    await withTimeout(() => news, { clock, ms, onTimeout: () => undefined });
    clearInterval(alive);
    const newest = this.#newest;
    if (newest.text === '' || isUsable(newest.text)) {
      this.#current = newest;
    } else {
      // `watch` reports it, so that its problems are shown.
      logger.error(
        `configuration ${newest.revision} of the hub cannot be used: the machine starts with the previous one.`,
      );
      this.#current = kept ?? NOTHING;
    }
    if (this.#current.text === '' && link.state.kind !== 'online') {
      logger.warn(`There is no configuration yet: the machine waits for the hub ${link.hubName}.`);
    }
    return { text: this.#current.text, revision: this.#current.revision };
  }

  watch(listener: (change: ConfigChange) => void): void {
    this.#listener = listener;
    this.#tellNewest();
    this.#returns.wake();
  }

  /** Takes an update from the hub; to be called by the link. */
  receive(news: HubUpdate): void {
    if (news.kind === 'config') this.#take(news.stored);
    // The text for an unknown revision follows.
    else if (news.revision !== '' && news.revision !== this.#newest.revision) return;
    this.#hasNews();
  }

  async write(text: string, expectedRevision: string, origin: ConfigOrigin): Promise<WriteOutcome> {
    this.#writes++;
    try {
      return await this.#store(text, expectedRevision, origin);
    } catch (thrown) {
      const error = toArmatureError(thrown);
      if (origin.isRollback && error.code !== 'call.too_large') return this.#return(text, expectedRevision, error);
      throw error;
    } finally {
      this.#writes--;
      this.#tellNewest();
    }
  }

  used(revision: string): void {
    const { text, number } = this.#current;
    if (revision !== this.#current.revision || text === '') return;
    const kept = this.#kept;
    const leftRevision = this.#leftRevision;
    if (kept?.revision === revision && kept.number === number && kept.leftRevision === leftRevision) return;
    this.#keep({ text, revision, number, leftRevision, membership: this.#membership });
  }

  /** The hub decides who may store a text. */
  isWritable(): Promise<boolean> {
    return Promise.resolve(true);
  }

  close(): void {
    this.#listener = undefined;
    this.#returns.close();
    this.#hasNews();
  }

  async #recall(): Promise<CachedConfig | undefined> {
    const kept = await this.#options.cache.load();
    if (kept === undefined) return undefined;
    this.#kept = kept;
    this.#membership ??= kept.membership;
    this.#leftRevision = kept.leftRevision;
    this.#newest = kept;
    return kept;
  }

  #take({ number, text }: StoredConfig): void {
    const version = { number: Number(number), text, revision: revisionOf(text) };
    // This is the version that was rolled back; the hub will learn that soon.
    if (this.#leftRevision !== '' && version.revision === this.#leftRevision) return;
    // Numbers order the versions of one hub only; another or a restored hub may start again.
    if (version.revision === this.#newest.revision && version.number <= this.#newest.number) return;
    this.#newest = version;
    this.#leftRevision = '';
    if (this.#writes > 0) this.#pushedMeanwhile = version;
    this.#tellNewest();
  }

  #tellNewest(): void {
    const listener = this.#listener;
    const { text, revision } = this.#newest;
    if (listener === undefined || this.#writes > 0) return;
    const isKnown = revision === this.#current.revision;
    this.#current = this.#newest;
    if (isKnown && revision === this.#kept?.revision) this.used(revision);
    if (!isKnown) listener({ kind: 'changed', text, revision });
  }

  async #store(text: string, baseRevision: string, origin: ConfigOrigin): Promise<WriteOutcome> {
    const { link, partId } = this.#options;
    const { author, authorKeyId, note, summary, subjects, restoredFrom } = origin;
    const request = {
      partId,
      text,
      baseRevision:
        baseRevision === this.#current.revision && this.#leftRevision !== '' ? this.#leftRevision : baseRevision,
      author,
      authorKeyId,
      note,
      summary,
      subjects: [...subjects],
      restoredFrom: BigInt(restoredFrom),
    };
    const { outcome } = await link.call(PartServiceDefinition, 'storeConfig', request, STORE_MS);
    if (outcome === undefined)
      throw new ArmatureError('internal.bug', 'The hub did not say whether it stored the text.');
    const number = Number(outcome.value.number);
    const found = outcome.$case === 'stored' ? text : outcome.value.text;
    const revision = revisionOf(found);
    this.#current = { text: found, revision, number };
    const pushed = this.#pushedMeanwhile;
    this.#pushedMeanwhile = undefined;
    this.#newest = pushed !== undefined && pushed.number > number ? pushed : this.#current;
    this.#leftRevision = '';
    return outcome.$case === 'stored' ? { kind: 'written', revision } : { kind: 'conflict', text: found, revision };
  }

  /** A rollback must work without the hub: the text that is rolled back may have broken the connection. */
  #return(text: string, leftRevision: string, error: ArmatureError): WriteOutcome {
    this.#options.logger.warn(
      `configuration ${leftRevision} is rolled back; the hub is told when it is reachable: ${error.message}`,
    );
    const revision = revisionOf(text);
    this.#leftRevision = this.#leftRevision === '' ? leftRevision : this.#leftRevision;
    this.#newest = { text, revision, number: this.#newest.number };
    this.#current = this.#newest;
    return { kind: 'written', revision };
  }

  /**
   * Stores at the hub the text that the machine rolled back to; a text stored by somebody else in the meantime wins.
   */
  async #tellOfReturn(): Promise<boolean> {
    // Nothing to report before the machine has applied the text.
    if (this.#leftRevision === '' || this.#writes > 0 || this.#listener === undefined) return false;
    const { text } = this.#current;
    const summary = 'rolled back to the previous configuration';
    const note = `${summary} while the hub was unreachable`;
    const origin = { author: 'machine', note, summary, subjects: [], restoredFrom: 0, isRollback: false };
    const before = this.#current;
    this.#writes++;
    try {
      const outcome = await this.#store(text, this.#leftRevision, origin);
      // A version is reported below only if it differs from what the machine has.
      if (outcome.kind === 'conflict') this.#current = before;
      return false;
    } finally {
      this.#writes--;
      this.#tellNewest();
    }
  }

  #keep(config: CachedConfig): void {
    const kept = { ...config, membership: this.#membership };
    this.#kept = kept;
    void this.#options.cache.store(kept);
  }
}
