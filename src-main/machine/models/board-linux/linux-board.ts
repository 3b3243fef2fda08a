import { gpioChipsOf, pwmChipsOf, type GpioChips, type PwmChips } from './board-devices.ts';
import { BoardPins } from './board-pins.ts';
import { LinuxAnalogs } from './linux-analogs.ts';
import { LinuxInterrupts } from './linux-interrupts.ts';
import type { LinuxPin } from './linux-pin.ts';
import { PinNames, type LineLocation, type PinNamesOptions } from './pin-names.ts';
import { simulate } from './simulate.ts';
import { WiredMotors } from './wired-motors.ts';
import { renameInterrupt } from '../rename-interrupt.ts';
import type { BuiltResource } from '../../catalog/model.ts';
import type { AnalogReading, Board, DigitalInterrupt } from '../../../apis/board/types.ts';
import type { CallOptions, JsonObject } from '../../../apis/resource.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { hardwareErrorOf, withHardware } from '../../../hardware/hardware-error.ts';
import type { Hardware } from '../../../hardware/hardware-types.ts';
import type { Header } from '../../../hardware/headers/header.ts';
import { type LinuxBoardAttributes, linuxBoardDefaults } from './attributes.ts';

/** How often driven outputs are checked, and missing devices are looked for. */
const POLL_MS = 1_000;
/** How many bytes of a line's consumer name the kernel keeps. */
const LONGEST_CONSUMER = 31;

export interface LinuxBoardOptions {
  readonly name: string;
  readonly attributes: LinuxBoardAttributes;
  readonly header: Header | undefined;
  /** The PWM channel that is connected to a line, as reported by the computer. */
  readonly pwmOf?: PinNamesOptions['pwmOf'];
  readonly hardware: Hardware;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The GPIO lines, PWM channels and converters of this computer. Lines are opened on first use and kept until the board
 * is closed. An unplugged device fails until it is plugged in again; it is recognized by where it is attached. Then
 * interrupts and analogs continue by themselves, and outputs drive nothing until the next command.
 */
export class LinuxBoard implements Board, BuiltResource {
  readonly name: string;
  readonly #options: LinuxBoardOptions;
  readonly #closing = new AbortController();
  readonly #gpioChips: GpioChips;
  readonly #pwmChips: PwmChips;
  readonly #names: PinNames;
  readonly #pins: BoardPins;
  readonly #interrupts: LinuxInterrupts;
  /** Set on a simulated computer. */
  readonly #motors: WiredMotors | undefined;
  #attributes: LinuxBoardAttributes;
  #analogs: LinuxAnalogs;
  #look: Timer | undefined;
  /** Devices that were unplugged, with a check whether each is back. */
  readonly #gone = new Map<string, { readonly title: string; readonly isBack: () => boolean }>();

  constructor(options: LinuxBoardOptions) {
    const { name, attributes, hardware, clock, logger, header } = options;
    this.name = name;
    this.#options = options;
    this.#attributes = attributes;
    this.#gpioChips = gpioChipsOf(hardware);
    this.#pwmChips = pwmChipsOf(hardware);
    this.#names = new PinNames({
      attributes,
      header,
      chips: this.#gpioChips,
      linesOf: ({ path }) => hardware.gpioLines(path),
      pwmOf: options.pwmOf ?? (() => undefined),
    });
    const consumer = `armature ${name}`.slice(0, LONGEST_CONSUMER);
    const find = (pin: string) => this.#names.find(pin);
    this.#pins = new BoardPins({
      board: name,
      hardware,
      gpioChips: this.#gpioChips,
      pwmChips: this.#pwmChips,
      find,
      interruptOn: (line) => this.#interrupts.on(line),
      consumer,
      expiryMs: attributes.expiry_ms ?? linuxBoardDefaults.expiryMs,
      defaultPwmHz: () => this.#attributes.pwm_frequency_hz ?? linuxBoardDefaults.pwmFrequencyHz,
      onGone: (kind, id) => this.#lose(kind, id),
      onDriven: () => {
        this.#motors?.pinsChanged();
        this.#keepLooking();
      },
      logger,
    });
    this.#interrupts = new LinuxInterrupts(
      {
        board: name,
        hardware,
        chips: this.#gpioChips,
        find,
        release: (line) => this.#release(line),
        consumer,
        clock,
        beforeCatchUp: () => this.#motors?.advance(),
        onGone: (id) => this.#lose('gpio', id),
        logger,
      },
      attributes.digital_interrupts ?? [],
    );
    this.#analogs = this.#newAnalogs();
    this.#motors = this.#newMotors();
  }

  /**
   * Starts watching and sampling. Only a missing `chip` is a failure, because hardly any pin works without it.
   * @throws {ArmatureError} `hardware.missing`
   */
  start(): void {
    const { chip } = this.#attributes;
    if (chip !== undefined) withHardware(this.#who, () => this.#gpioChips.idOf(chip));
    for (const { name } of this.#attributes.pins ?? []) {
      try {
        this.#names.find(name);
      } catch (thrown) {
        this.#options.logger.warn(hardwareErrorOf(`${this.#who}, pin "${name}"`, thrown).message);
      }
    }
    this.#interrupts.attachAll();
    this.#analogs.openAll();
    this.#keepLooking();
  }

  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  gpioPin(pin: string): LinuxPin {
    this.#requireOpen();
    return withHardware(this.#who, () => this.#pins.pin(pin));
  }

  async readAnalog(name: string, { signal }: CallOptions = {}): Promise<AnalogReading> {
    this.#requireOpen();
    const reading = this.#analogs.read(name, signal);
    this.#keepLooking();
    return reading;
  }

  async writeAnalog(pin: string): Promise<void> {
    throw new ArmatureError(
      'call.unimplemented',
      `Board "${this.name}": "${pin}" cannot be written, as converters of this board only read. Use PWM on a pin.`,
    );
  }

  holdsPin(pin: string): boolean {
    return this.gpioPin(pin).isHeld;
  }

  digitalInterrupt(name: string): DigitalInterrupt {
    this.#requireOpen();
    return renameInterrupt(
      name,
      withHardware(this.#who, () => this.#interrupts.find(name)),
    );
  }

  /**
   * With `-simulate-hardware`: controls what is outside the wires, see `simulate.ts`. Otherwise there are no commands.
   */
  async doCommand(command: JsonObject): Promise<JsonObject> {
    this.#requireOpen();
    const { hardware } = this.#options;
    return simulate(command, {
      board: this.name,
      sim: hardware.sim,
      find: (pin) => this.#names.find(pin),
      pathOf: (chip) => this.#gpioChips.pathOf(chip),
      pwmPathOf: (chip) => this.#pwmChips.pathOf(this.#pwmChips.idOf(chip)),
      analogs: this.#attributes.analogs ?? [],
      motors: this.#motors,
    });
  }

  async status(): Promise<JsonObject> {
    const pins: JsonObject = {};
    for (const pin of this.#pins.driven) pins[pin.name] = pin.output ?? null;
    const counts: JsonObject = {};
    const lost: JsonObject = {};
    for (const interrupt of this.#interrupts.all) {
      counts[interrupt.name] = interrupt.counts.count;
      lost[interrupt.name] = interrupt.counts.lost;
    }
    const failures = [
      ...[...this.#gone.values()].map(({ title }) => `${title} was unplugged`),
      ...this.#interrupts.all.flatMap(({ failure }) => failure?.message ?? []),
      ...this.#analogs.failures.map(({ message }) => message),
    ];
    return {
      pins,
      digital_interrupts: counts,
      lost_edges: lost,
      expired_outputs: this.#options.hardware.stats().expiries,
      failures,
    };
  }

  /** Applies new analogs and the default frequency without touching driven outputs. */
  async reconfigure(attributes: JsonObject): Promise<void> {
    const before = this.#attributes;
    this.#attributes = attributes;
    if (JSON.stringify(before.analogs) === JSON.stringify(this.#attributes.analogs)) return;
    this.#analogs.close();
    this.#analogs = this.#newAnalogs();
    this.#analogs.openAll();
    this.#keepLooking();
  }

  /** Drives all outputs to their safe levels, and releases every line and device. */
  async close(): Promise<void> {
    if (this.closed.aborted) return;
    this.#look?.cancel();
    this.#pins.close();
    this.#motors?.close();
    this.#interrupts.close();
    this.#analogs.close();
    this.#closing.abort();
  }

  get #who(): string {
    return `Board "${this.name}"`;
  }

  #newAnalogs(): LinuxAnalogs {
    const { name, hardware, clock, logger } = this.#options;
    return new LinuxAnalogs({ board: name, hardware, clock, logger }, this.#attributes.analogs ?? []);
  }

  #newMotors(): WiredMotors | undefined {
    const { name, hardware, clock, logger } = this.#options;
    const { simulated_motors: motors = [] } = this.#attributes;
    if (hardware.sim === undefined || motors.length === 0) return undefined;
    return new WiredMotors(motors, {
      board: name,
      sim: hardware.sim,
      clock,
      logger,
      find: (pin) => this.#names.find(pin),
      outputOf: (pin) => this.#pins.outputOf(pin),
      pathOf: (chip) => this.#gpioChips.pathOf(chip),
    });
  }

  /** A line that is only read may become an interrupt; a driven one may not. */
  #release(line: LineLocation): void {
    const pin = this.#pins.on(line);
    if (pin?.isDriven === true) {
      throw new ArmatureError(
        'call.failed_precondition',
        `pin "${pin.name}" is driven, so its edges cannot be watched. Use another pin for it.`,
        { details: { board: this.name, pin: pin.name } },
      );
    }
    pin?.close();
  }

  /** A device was found to be unplugged. */
  #lose(kind: 'gpio' | 'pwm', id: string): void {
    const { logger } = this.#options;
    const devices = kind === 'gpio' ? this.#gpioChips : this.#pwmChips;
    const gone = devices.gone(id);
    const reason = hardwareErrorOf(this.#who, gone);
    const isNews = !this.#gone.has(id);
    if (isNews) {
      logger.error(`${reason.message} What it drove is off until it is commanded again.`);
      this.#gone.set(id, { title: devices.title(id), isBack: () => devices.isPresent(id) });
    }
    this.#pins.loseDevice(kind, id, reason);
    this.#motors?.pinsChanged();
    if (kind === 'gpio') this.#interrupts.loseChip(id, gone);
    this.#keepLooking();
  }

  /** Polls once a second while something is driven or missing; a board at rest does nothing. */
  #keepLooking(): void {
    if (this.#look !== undefined || this.closed.aborted || !this.#hasToLook()) return;
    this.#look = this.#options.clock.every(POLL_MS, () => {
      try {
        this.#lookNow();
      } catch (thrown) {
        this.#options.logger.error(toArmatureError(thrown).message);
      }
      if (this.#hasToLook()) return;
      this.#look?.cancel();
      this.#look = undefined;
    });
  }

  #hasToLook(): boolean {
    return (
      this.#gone.size > 0 ||
      this.#interrupts.isMissingSome ||
      this.#analogs.isMissingSome ||
      this.#pins.driven.length > 0
    );
  }

  #lookNow(): void {
    this.#pins.look();
    // Outputs that reached their safe level by themselves were not reported.
    this.#motors?.pinsChanged();
    for (const [id, { title, isBack }] of [...this.#gone]) {
      if (!isBack()) continue;
      this.#gone.delete(id);
      this.#options.logger.info(`${this.#who}: ${title} is back; edges in the meantime were not counted`);
    }
    if (this.#interrupts.isMissingSome) this.#interrupts.attachAll();
    if (this.#analogs.isMissingSome) this.#analogs.openAll();
  }

  #requireOpen(): void {
    if (!this.closed.aborted) return;
    throw new ArmatureError('resource.not_ready', `${this.#who} is closed.`);
  }
}
