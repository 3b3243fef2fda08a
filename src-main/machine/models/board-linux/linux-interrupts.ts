import type { GpioChips } from './board-devices.ts';
import { keyOf } from './board-pins.ts';
import { LinuxInterrupt } from './linux-interrupt.ts';
import type { LineLocation, PinLocation } from './pin-names.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { hardwareErrorOf } from '../../../hardware/hardware-error.ts';
import type { EdgeBatch, EdgeWatch, Hardware } from '../../../hardware/hardware-types.ts';
import type { LinuxInterruptAttributes } from './attributes.ts';

/** Maximum number of lines of a chip that the kernel takes at once. */
const MAX_LINES = 64;
/** How often lost edges are logged at most. */
const LOST_LOG_MS = 10_000;
const NS_PER_MS = 1_000_000n;

export interface LinuxInterruptsOptions {
  readonly board: string;
  readonly hardware: Hardware;
  readonly chips: GpioChips;
  readonly find: (name: string) => PinLocation;
  /** Takes a line from a pin that only reads it. Throws if the pin drives it. */
  readonly release: (line: LineLocation) => void;
  readonly consumer: string;
  readonly clock: Clock;
  /** Advances the simulation of the wires to the current time. */
  readonly beforeCatchUp: () => void;
  /** A GPIO chip was found to be unplugged, by its id. */
  readonly onGone: (id: string) => void;
  readonly logger: Logger;
}

interface Member {
  readonly interrupt: LinuxInterrupt;
  readonly place: PinLocation;
  readonly line: LineLocation;
}

/**
 * The digital interrupts of a board. Those of one chip share one watch. If one cannot be watched (another program holds
 * it, or its chip is missing), it is retried and does not affect the others.
 */
export class LinuxInterrupts {
  readonly #options: LinuxInterruptsOptions;
  readonly #all = new Map<string, LinuxInterrupt>();
  readonly #byLine = new Map<string, LinuxInterrupt>();
  readonly #watches = new Map<EdgeWatch, readonly Member[]>();
  /** Offset from the kernel's clock to the epoch, measured once: a change of the wall clock does not move ticks. */
  readonly #epochNs: bigint;
  #lost = 0;
  #lostLoggedMs = -Infinity;

  constructor(options: LinuxInterruptsOptions, configured: readonly LinuxInterruptAttributes[]) {
    this.#options = options;
    this.#epochNs = BigInt(Math.round(options.clock.now())) * NS_PER_MS - process.hrtime.bigint();
    for (const settings of configured) this.#all.set(settings.name, this.#make(settings));
  }

  get all(): readonly LinuxInterrupt[] {
    return [...this.#all.values()];
  }

  /** Whether some interrupts cannot be watched now. */
  get isMissingSome(): boolean {
    return this.all.some((interrupt) => !interrupt.isAttached);
  }

  on(line: LineLocation): LinuxInterrupt | undefined {
    return this.#byLine.get(keyOf(line));
  }

  /**
   * An interrupt by name or pin. A pin without an interrupt becomes one, as in the reference server: its edges count
   * from now on.
   * @throws {ArmatureError} `call.not_found` if there is no such pin; `call.failed_precondition` if it is driven
   */
  find(name: string): LinuxInterrupt {
    const known = this.#all.get(name) ?? this.all.find(({ settings }) => settings.pin === name);
    if (known !== undefined) return known;
    const { line } = this.#options.find(name);
    if (line === undefined) {
      throw new ArmatureError(
        'call.failed_precondition',
        `pin "${name}" is only driven by a PWM chip and has no edges.`,
      );
    }
    const other = this.on(line);
    if (other !== undefined) return other;
    const interrupt = this.#make({ name, pin: name });
    this.#attach(interrupt);
    this.#all.set(name, interrupt);
    return interrupt;
  }

  /**
   * Starts watching all interrupts that are not watched yet, with one watch per chip. Each failure is reported once.
   */
  attachAll(): void {
    const byChip = new Map<string, Member[]>();
    for (const interrupt of this.all) {
      if (interrupt.isAttached) continue;
      try {
        const member = this.#memberOf(interrupt);
        byChip.set(member.line.chip, [...(byChip.get(member.line.chip) ?? []), member]);
      } catch (thrown) {
        this.#failed(interrupt, thrown);
      }
    }
    for (const members of byChip.values()) {
      for (let from = 0; from < members.length; from += MAX_LINES)
        this.#watchAny(members.slice(from, from + MAX_LINES));
    }
  }

  /** The chip is gone. */
  loseChip(id: string, reason: ArmatureError): void {
    for (const [watch, members] of [...this.#watches]) {
      if (members[0]?.line.chip !== id) continue;
      for (const { interrupt, line } of members) {
        interrupt.detached(this.#named(interrupt, reason));
        this.#byLine.delete(keyOf(line));
      }
      this.#watches.delete(watch);
      watch.close();
    }
  }

  close(): void {
    const closed = new ArmatureError('resource.not_ready', 'its board was closed.');
    for (const interrupt of this.all) interrupt.detached(this.#named(interrupt, closed));
    for (const watch of this.#watches.keys()) watch.close();
    this.#watches.clear();
    this.#byLine.clear();
    this.#all.clear();
  }

  #make(settings: LinuxInterruptAttributes): LinuxInterrupt {
    return new LinuxInterrupt(settings, {
      attach: (interrupt) => this.#attach(interrupt),
      beforeCatchUp: this.#options.beforeCatchUp,
      failed: (interrupt, thrown) => this.#readFailed(interrupt, thrown),
    });
  }

  /** @throws {ArmatureError} why it cannot be watched */
  #attach(interrupt: LinuxInterrupt): void {
    try {
      this.#watch([this.#memberOf(interrupt)]);
    } catch (thrown) {
      throw this.#failed(interrupt, thrown);
    }
  }

  #readFailed(interrupt: LinuxInterrupt, thrown: unknown): ArmatureError {
    const error = this.#named(interrupt, thrown);
    const chip = [...this.#watches.values()].flat().find((member) => member.interrupt === interrupt)?.line.chip;
    if (error.code !== 'hardware.gone' || chip === undefined) return error;
    this.#options.onGone(chip);
    return interrupt.failure ?? error;
  }

  #memberOf(interrupt: LinuxInterrupt): Member {
    const place = this.#options.find(interrupt.settings.pin);
    const { line } = place;
    if (line === undefined) throw new ArmatureError('config.invalid', 'its pin is only driven by a PWM chip.');
    const other = this.on(line);
    if (other !== undefined) throw new ArmatureError('config.invalid', `its pin is already "${other.name}".`);
    return { interrupt, place, line };
  }

  /**
   * Watches all in one watch. If that fails, watches each on its own, so that one that is unavailable does not affect
   * the others.
   */
  #watchAny(members: readonly Member[]): void {
    try {
      this.#watch(members);
    } catch (thrown) {
      const [only] = members;
      if (members.length === 1 && only !== undefined) this.#failed(only.interrupt, thrown);
      else for (const member of members) this.#watchAny([member]);
    }
  }

  #watch(members: readonly Member[]): void {
    const { hardware, chips, consumer, release, logger } = this.#options;
    const [first] = members;
    if (first === undefined) return;
    for (const { line } of members) release(line);
    const byOffset = new Map(members.map(({ interrupt, line }) => [line.offset, interrupt]));
    const lines = members.map(({ interrupt: { settings }, place, line }) => ({
      offset: line.offset,
      edges: settings.edges ?? 'both',
      debounceUs: settings.debounce_us ?? 0,
      bias: settings.bias ?? place.bias,
      isActiveLow: settings.active_low ?? place.isActiveLow,
    }));
    const watch = hardware.watchEdges(
      { chip: chips.pathOf(first.line.chip), lines, consumer },
      (batch) => this.#deliver(batch, byOffset),
      () => this.#options.onGone(first.line.chip),
    );
    this.#watches.set(watch, members);
    for (const { interrupt, line } of members) {
      if (interrupt.failure !== undefined)
        logger.info(`digital interrupt "${interrupt.name}" is watched again; edges in between were not counted`);
      interrupt.attached(watch, line.offset);
      this.#byLine.set(keyOf(line), interrupt);
    }
  }

  #deliver(batch: EdgeBatch, byOffset: ReadonlyMap<number, LinuxInterrupt>): void {
    if (batch.lost > 0) this.#tellLost(batch.lost);
    for (const [index, offset] of batch.offsets.entries()) {
      const interrupt = byOffset.get(offset);
      const number = batch.numbers[index] ?? 0;
      if (interrupt?.isHeard !== true) interrupt?.pass(number);
      else interrupt.deliver(batch.levels[index] === 1, this.#epochNs + (batch.timesNs[index] ?? 0n), number);
    }
  }

  #tellLost(lost: number): void {
    const { clock, logger, board } = this.#options;
    this.#lost += lost;
    if (clock.monotonic() - this.#lostLoggedMs < LOST_LOG_MS) return;
    this.#lostLoggedMs = clock.monotonic();
    logger.warn(
      `Board "${board}": ${this.#lost} edges came faster than they could be told and were only counted. Encoders on its interrupts say whether they are off: lower the speed, or set "debounce_us".`,
    );
    this.#lost = 0;
  }

  /** Remembers the failure, reports it once, and returns it. */
  #failed(interrupt: LinuxInterrupt, thrown: unknown): ArmatureError {
    const error = this.#named(interrupt, thrown);
    if (interrupt.failure?.message !== error.message) this.#options.logger.warn(error.message);
    interrupt.detached(error);
    return error;
  }

  #named(interrupt: LinuxInterrupt, thrown: unknown): ArmatureError {
    return hardwareErrorOf(`Board "${this.#options.board}", digital interrupt "${interrupt.name}"`, thrown);
  }
}
