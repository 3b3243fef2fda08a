import type { StatusReport } from '../../../proto/gen/core/hub/v1/part.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toWireResource, type StatusSource } from '../services/status-service.ts';
import type { HubLink } from './hub-link.ts';

/** Least time between two reports: the status is for people. */
const INTERVAL_MS = 1_000;

/** Sends the part's status to the hub: at once when it connects, and when it changes, once a second at most. */
export class StatusReporter {
  readonly #source: StatusSource;
  readonly #link: Pick<HubLink, 'report' | 'state' | 'onChange'>;
  readonly #clock: Clock;
  readonly #endings: readonly (() => void)[];
  #pause: Timer | undefined;
  #hasChanged = false;

  constructor(source: StatusSource, link: Pick<HubLink, 'report' | 'state' | 'onChange'>, clock: Clock) {
    this.#source = source;
    this.#link = link;
    this.#clock = clock;
    this.#endings = [
      source.onChange(() => this.#changed()),
      link.onChange(() => {
        if (link.state.kind === 'online') this.#send();
      }),
    ];
  }

  close(): void {
    this.#pause?.cancel();
    for (const end of this.#endings) end();
  }

  #changed(): void {
    this.#hasChanged = true;
    if (this.#pause === undefined && this.#link.state.kind === 'online') this.#send();
  }

  #send(): void {
    this.#hasChanged = false;
    this.#link.report(this.#report());
    this.#pause?.cancel();
    this.#pause = this.#clock.after(INTERVAL_MS, () => {
      this.#pause = undefined;
      if (this.#hasChanged) this.#changed();
    });
  }

  #report(): StatusReport {
    const { state, appliedRevision } = this.#source.machine();
    return { state, appliedRevision, resources: this.#source.resources().map(toWireResource) };
  }
}
