import { FakeAnalog } from './fake-analog.ts';
import { DrivenInterrupt, FreeRunningInterrupt, TickTime } from './fake-interrupt.ts';
import { FakePin, type PinOperation } from './fake-pin.ts';
import { SimulatedMotor } from './simulated-motor.ts';
import { renameInterrupt } from '../rename-interrupt.ts';
import type { AnalogReading, Board, DigitalInterrupt } from '../../../apis/board/types.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import { Emitter } from '../../../base/async/emitter.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { FakeBoardAttributes } from './schema.ts';

const DEFAULT_SEED = 1;

/** Board model `fake`. */
export class FakeBoard implements Board {
  readonly name: string;
  readonly #pins = new Map<string, FakePin>();
  /** Custom pin names, and the pins they stand for. */
  readonly #pinNames = new Map<string, string>();
  readonly #heldPins = new Set<string>();
  readonly #analogs = new Map<string, FakeAnalog>();
  /** By pin. */
  readonly #drivenInterrupts = new Map<string, DrivenInterrupt>();
  /** By configured name, and by pin. */
  readonly #interrupts = new Map<string, DigitalInterrupt>();
  readonly #freeRunning: FreeRunningInterrupt[] = [];
  readonly #motors: SimulatedMotor[] = [];
  readonly #pinChanged = new Emitter<PinOperation>();
  readonly #closing = new AbortController();

  constructor(name: string, attributes: FakeBoardAttributes, clock: Clock) {
    this.name = name;
    const time = new TickTime(clock);
    for (const { name: own, pin = own, hold } of attributes.pins ?? []) {
      this.#pinNames.set(own, pin);
      if (hold === 'session') this.#heldPins.add(pin);
    }
    for (const analog of attributes.analogs ?? []) this.#analogs.set(analog.name, new FakeAnalog(analog, clock));
    for (const motor of attributes.simulated_motors ?? []) {
      const index = this.#motors.length;
      const channel = (pinOrInterrupt: string): DrivenInterrupt => {
        const named = attributes.digital_interrupts?.find(({ name }) => name === pinOrInterrupt);
        const pin = named?.pin ?? pinOrInterrupt;
        const interrupt = new DrivenInterrupt(pin, () => this.#motors[index]?.advance());
        this.#drivenInterrupts.set(pin, interrupt);
        this.#interrupts.set(pin, interrupt);
        return interrupt;
      };
      const { encoder_pins: encoderPins } = motor;
      const encoder = encoderPins === undefined ? undefined : { a: channel(encoderPins.a), b: channel(encoderPins.b) };
      const outputOf = (pin: string): number => this.#pins.get(pin)?.output ?? 0;
      this.#motors.push(new SimulatedMotor({ attributes: motor, clock, time, outputOf, encoder }));
    }
    for (const { name: interruptName, pin } of attributes.digital_interrupts ?? []) {
      const driven = this.#drivenInterrupts.get(pin);
      if (driven !== undefined) {
        this.#interrupts.set(interruptName, renameInterrupt(interruptName, driven));
        continue;
      }
      const interrupt = new FreeRunningInterrupt(interruptName, clock, time, attributes.seed ?? DEFAULT_SEED);
      this.#freeRunning.push(interrupt);
      this.#interrupts.set(interruptName, interrupt);
    }
    for (const { name: interruptName, pin } of attributes.digital_interrupts ?? []) {
      const interrupt = this.#interrupts.get(interruptName);
      if (interrupt !== undefined && !this.#interrupts.has(pin)) {
        this.#interrupts.set(pin, renameInterrupt(pin, interrupt));
      }
    }
  }

  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Calls `observer` after every change of a pin. Returns an unsubscribe function. */
  observe(observer: (operation: PinOperation) => void): () => void {
    return this.#pinChanged.on(observer);
  }

  /** Simulated motors, in the order of the configuration. */
  get simulatedMotors(): readonly SimulatedMotor[] {
    return this.#motors;
  }

  /** Pins appear on demand, low and without PWM. */
  gpioPin(name: string): FakePin {
    const pin = this.#pinNames.get(name) ?? name;
    let found = this.#pins.get(pin);
    if (found === undefined) {
      found = new FakePin(pin, (operation) => {
        for (const motor of this.#motors) motor.pinsChanged();
        this.#pinChanged.emit(operation);
      });
      this.#pins.set(pin, found);
    }
    return found;
  }

  holdsPin(name: string): boolean {
    const pin = this.#analogs.get(name)?.pin ?? this.#pinNames.get(name) ?? name;
    return this.#heldPins.has(pin) || this.#pins.get(pin)?.isOwned === true;
  }

  async readAnalog(name: string): Promise<AnalogReading> {
    const analog = this.#analogs.get(name);
    if (analog === undefined) throw this.#notFound('analog', name, [...this.#analogs.keys()]);
    return analog.read();
  }

  async writeAnalog(nameOrPin: string, value: number): Promise<void> {
    const named = this.#analogs.get(nameOrPin);
    const analogs = named ? [named] : [...this.#analogs.values()].filter(({ pin }) => pin === nameOrPin);
    if (analogs.length === 0) throw this.#notFound('analog', nameOrPin, [...this.#analogs.keys()]);
    for (const analog of analogs) analog.write(value);
  }

  digitalInterrupt(name: string): DigitalInterrupt {
    const interrupt = this.#interrupts.get(name);
    if (interrupt === undefined) throw this.#notFound('digital interrupt', name, [...this.#interrupts.keys()]);
    return interrupt;
  }

  /** `{"simulated_motor": 0, "jammed": true}` jams a motor. Without `jammed`, it only returns the motor's state. */
  async doCommand(command: JsonObject): Promise<JsonObject> {
    const index = command['simulated_motor'];
    const motor = typeof index === 'number' ? this.#motors[index] : undefined;
    if (motor === undefined) {
      throw new ArmatureError(
        'call.bad_argument',
        `Board "${this.name}" knows the command {"simulated_motor": index, "jammed": true or false}; it has ${this.#motors.length} simulated motors.`,
      );
    }
    if (typeof command['jammed'] === 'boolean') motor.jam(command['jammed']);
    motor.advance();
    return { rpm: motor.rpm, revolutions: motor.revolutions, jammed: motor.isJammed };
  }

  async status(): Promise<JsonObject> {
    const interrupts: JsonObject = {};
    for (const [name, interrupt] of this.#interrupts) interrupts[name] = await interrupt.value();
    const pins: JsonObject = {};
    for (const [name, pin] of this.#pins) pins[name] = pin.output;
    return { pins, digital_interrupts: interrupts };
  }

  /** Drives every pin low, because nothing controls the outputs any more. */
  async close(): Promise<void> {
    for (const pin of this.#pins.values()) await pin.set(false);
    this.#closing.abort();
    for (const motor of this.#motors) motor.close();
    for (const interrupt of this.#freeRunning) interrupt.close();
    this.#pinChanged.clear();
  }

  #notFound(kind: string, name: string, known: readonly string[]): ArmatureError {
    const allowed = known.length === 0 ? 'it has none' : `it has ${known.map((item) => `"${item}"`).join(', ')}`;
    return new ArmatureError('call.not_found', `Board "${this.name}" has no ${kind} "${name}"; ${allowed}.`, {
      details: { board: this.name, found: name, allowed: known },
    });
  }
}
