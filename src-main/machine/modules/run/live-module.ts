import type { Clock } from '../../../base/clock.ts';
import { withTimeout } from '../../../base/async/timeout.ts';
import type { ModuleConfig } from '../../config/machine-config.ts';
import type { PeerActivity } from './peer-activity.ts';
import type { OfferedModel, RunningModule } from './running-module.ts';

/** A module whose process is ready, and who currently holds it. */
export class LiveModule implements RunningModule {
  readonly name: string;
  readonly moduleId: string;
  readonly isFromRegistry: boolean;
  readonly peer: PeerActivity;
  readonly models: readonly OfferedModel[];
  readonly #clock: Clock;
  readonly #holds = new Set<object>();
  #onReleased: (() => void) | undefined;

  constructor(config: ModuleConfig, peer: PeerActivity, models: readonly OfferedModel[], clock: Clock) {
    this.name = config.name;
    this.moduleId = config.moduleId;
    this.isFromRegistry = config.type === 'registry';
    this.peer = peer;
    this.models = models;
    this.#clock = clock;
  }

  hold(): () => void {
    const token = {};
    this.#holds.add(token);
    return () => {
      this.#holds.delete(token);
      if (this.#holds.size === 0) this.#onReleased?.();
    };
  }

  /** Settles when nothing holds it any more, or after `limitMs`. */
  async released(limitMs: number): Promise<void> {
    if (this.#holds.size === 0) return;
    const released = () => new Promise<void>((resolve) => (this.#onReleased = resolve));
    await withTimeout(released, { clock: this.#clock, ms: limitMs, onTimeout: () => undefined });
  }
}
