import { RegistryServiceDefinition, type Resolution } from '../../../../proto/gen/core/hub/v1/registry.ts';
import type { MachinePlatform } from '../../../../proto/config/module-versions.ts';
import { backoffDelayMs, type BackoffOptions } from '../../../base/async/backoff.ts';
import { sleep, type Clock, type Timer } from '../../../base/clock.ts';
import { toArmatureError, type ArmatureError } from '../../../base/errors.ts';
import type { RegistryLink } from './download.ts';

/** The answer of a registry to a request. */
export type RegistryAnswer =
  | { readonly kind: 'version'; readonly version: string; readonly platform: string; readonly reason: string }
  /** It has none; says why. */
  | { readonly kind: 'none'; readonly reason: string }
  /** It cannot be asked; says why. */
  | { readonly kind: 'unreachable'; readonly reason: string };

export interface VersionRequest {
  readonly moduleId: string;
  /** An exact version or a channel. */
  readonly version: string;
  /** Type of a package that is not a module, as in configurations: `ml_model`; `moduleId` is then its id. */
  readonly type?: string;
}

export interface RegistryFollowerOptions {
  /** Undefined for a machine without a hub. */
  readonly link: RegistryLink | undefined;
  readonly platform: MachinePlatform;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
}

interface Followed {
  readonly request: VersionRequest;
  readonly listener: (answer: RegistryAnswer) => void;
  answer: RegistryAnswer | undefined;
  timeout: Timer | undefined;
}

/** Random delay, so that the machines of a fleet do not all ask at once when the registry is back. */
const RECONNECT_BACKOFF: BackoffOptions = { firstMs: 500, maxMs: 30_000, factor: 2, jitter: 0.8 };
/** How long a start waits for the hub before it uses what is on the disk. */
const ANSWER_TIMEOUT_MS = 3_000;

/**
 * Asks the registry which version each wanted module should run now, with one stream for all modules, and keeps
 * retrying.
 */
export class RegistryFollower {
  readonly #options: RegistryFollowerOptions;
  readonly #followed = new Set<Followed>();
  readonly #unsubscribeLink: () => void;
  /** Ends the stream, or the wait for the next one. */
  #interrupt: () => void = () => undefined;
  #isRunning = false;
  #isClosed = false;

  constructor(options: RegistryFollowerOptions) {
    this.#options = options;
    this.#unsubscribeLink = options.link?.onChange(() => this.#linkChanged()) ?? (() => undefined);
  }

  /**
   * Calls `listener` with the answer to a request, and with every later one; never within this call.
   * @returns an unsubscribe function
   */
  follow(request: VersionRequest, listener: (answer: RegistryAnswer) => void): () => void {
    const followed: Followed = { request, listener, answer: undefined, timeout: undefined };
    followed.timeout = this.#options.clock.after(ANSWER_TIMEOUT_MS, () => {
      if (followed.answer === undefined) tell(followed, { kind: 'unreachable', reason: this.#unreachableReason() });
    });
    this.#followed.add(followed);
    this.#begin();
    return () => {
      followed.timeout?.cancel();
      if (this.#followed.delete(followed)) this.#begin();
    };
  }

  /** Ends the wait before the next request. */
  retry(): void {
    if (!this.#isStreaming) this.#interrupt();
  }

  close(): void {
    this.#isClosed = true;
    for (const { timeout } of this.#followed) timeout?.cancel();
    this.#followed.clear();
    this.#unsubscribeLink();
    this.#interrupt();
  }

  #isStreaming = false;

  /** The requests have changed. A configuration changes many at once; they become one call. */
  #begin(): void {
    if (this.#isRunning) {
      queueMicrotask(() => this.#interrupt());
      return;
    }
    this.#isRunning = true;
    queueMicrotask(() => void this.#run());
  }

  #linkChanged(): void {
    if (this.#options.link?.state.kind === 'online') this.retry();
  }

  async #run(): Promise<void> {
    const { clock, random } = this.#options;
    for (let failures = 0; !this.#isClosed && this.#followed.size > 0;) {
      const fault = await this.#ask(() => (failures = 0));
      if (fault === undefined || this.#isClosed) continue;
      // Until the first attempt ends, it is unknown whether the hub is reachable.
      if (this.#options.link?.state.kind !== 'connecting') this.#reportUnreachable(this.#messageOf(fault));
      const pause = new AbortController();
      this.#interrupt = () => pause.abort();
      await sleep(clock, backoffDelayMs(RECONNECT_BACKOFF, ++failures, random()), pause.signal);
    }
    this.#isRunning = false;
  }

  /**
   * Reads one stream to its end.
   * @returns why it ended; undefined if changed requests ended it
   */
  async #ask(onAnswer: () => void): Promise<ArmatureError | undefined> {
    const { link, platform } = this.#options;
    if (link === undefined) {
      this.#reportUnreachable(this.#unreachableReason());
      await new Promise<void>((resolve) => (this.#interrupt = resolve));
      return undefined;
    }
    const controller = new AbortController();
    this.#interrupt = () => controller.abort();
    this.#isStreaming = true;
    const followed = [...this.#followed];
    const wants = followed.map(({ request }) => ({
      ...request,
      type: request.type ?? '',
      platform: platform.platform,
      platformTags: [...platform.tags],
    }));
    try {
      const answers = link.stream(RegistryServiceDefinition, 'watchResolutions', { wants }, controller.signal);
      for await (const { resolutions } of answers) {
        onAnswer();
        followed.forEach((one, index) => {
          const resolution = resolutions[index];
          if (resolution !== undefined && this.#followed.has(one)) tell(one, answerOf(one.request, resolution));
        });
      }
      return toArmatureError(new Error('it ended the stream'));
    } catch (thrown) {
      return controller.signal.aborted ? undefined : toArmatureError(thrown);
    } finally {
      this.#isStreaming = false;
    }
  }

  #reportUnreachable(reason: string): void {
    for (const followed of this.#followed) tell(followed, { kind: 'unreachable', reason });
  }

  #messageOf({ code, message }: ArmatureError): string {
    const hub = `the hub ${this.#options.link?.hubName ?? ''}`;
    if (code === 'call.unimplemented') return `${hub} has no registry of modules`;
    return code === 'hub.unreachable' ? this.#unreachableReason(message) : `${hub} does not answer: ${message}`;
  }

  #unreachableReason(message = ''): string {
    const { link } = this.#options;
    if (link === undefined) return 'this machine has no hub, which would have it: add "cloud" to its configuration';
    const why = link.state.message === '' ? message : link.state.message;
    return `the hub ${link.hubName} is not reached${why === '' ? '' : ` (${why})`}`;
  }
}

function answerOf(
  { moduleId, version: wanted }: VersionRequest,
  { version, platform, reason, problem }: Resolution,
): RegistryAnswer {
  if (version !== '') return { kind: 'version', version, platform, reason };
  return { kind: 'none', reason: problem === '' ? `the registry has no version ${wanted} of ${moduleId}` : problem };
}

function tell(followed: Followed, answer: RegistryAnswer): void {
  followed.timeout?.cancel();
  const before = followed.answer;
  followed.answer = answer;
  if (before?.kind === answer.kind && before.reason === answer.reason) {
    if (answer.kind !== 'version' || before.kind !== 'version') return;
    if (before.version === answer.version && before.platform === answer.platform) return;
  }
  followed.listener(answer);
}
