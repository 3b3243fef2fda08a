import type { DriveChoices } from './choices/drive-choices.ts';
import { DriveHold, type DriveEnd } from './drive-hold.ts';
import { HeldKeys } from './input/held-keys.ts';
import { HOLD_KEY } from './input/key-pairs.ts';
import { PadWatch, type Pad, type ReadPad } from './input/pad-watch.ts';
import { driveValues, isCentred, type Hands } from './output/drive-values.ts';

/** A motor or a servo that is driven. */
export interface DriveOutput {
  /**
   * @param value power -1 to 1, or degrees per second
   * @param now by a clock that never goes back, ms
   */
  set(value: number, now: number): void;
  stop(): void;
}

/** Drives outputs by keys and a gamepad, looked at from time to time, and stops them however that ends. */
export class DriveRun {
  readonly #choices: () => DriveChoices;
  readonly #keys = new HeldKeys();
  readonly #pads = new PadWatch();
  readonly #hold = new DriveHold();
  /** By full name. */
  readonly #outputs = new Map<string, DriveOutput>();
  #keyChanges = 0;

  constructor(choices: () => DriveChoices) {
    this.#choices = choices;
  }

  /** Whether it drives, who does, and why it ended. */
  get hold(): Pick<DriveHold, 'phase' | 'by' | 'spent' | 'lastEnd'> {
    return this.#hold;
  }

  /** The gamepad that is followed. */
  get pad(): Pad | undefined {
    return this.#pads.pad;
  }

  /** Counts what the person did with a gamepad. */
  get padChanges(): number {
    return this.#pads.changes;
  }

  /** @param found the gamepads that the browser has now */
  readPads(found: readonly (ReadPad | null)[]): void {
    // The one that drives stays the one, whatever is pressed on another.
    this.#pads.look(found, this.#hold.by !== 'pad');
  }

  /** A gamepad of this index was plugged in or unplugged. */
  replug(index: number): void {
    this.#pads.unplug(index);
  }

  /** @param isBlocked whether something forbids to drive */
  step(now: number, isBlocked: boolean): void {
    const { pad } = this;
    const choices = this.#choices();
    const before = this.#hold.by;
    this.#hold.step({
      now,
      isBlocked,
      held: { keys: this.#keys.isDown(HOLD_KEY), pad: pad?.buttons[choices.holdButton]?.isPressed === true },
      padHold: `${this.#pads.number}:${choices.holdButton}`,
      isCentred: pad !== undefined && isCentred(choices, pad),
      changes: this.#pads.changes + this.#keyChanges,
    });
    if (before === undefined && this.#hold.by !== undefined) this.#keys.disregard();
    this.#act(now);
  }

  end(why: DriveEnd): void {
    this.#hold.end(why);
    this.#stop();
  }

  /** @param code `KeyboardEvent.code` of a key that was pressed, not one that repeats */
  pressKey(code: string): void {
    this.#keyChanges += 1;
    this.#keys.press(code);
  }

  releaseKey(code: string): void {
    this.#keyChanges += 1;
    this.#keys.release(code);
  }

  /** Forgets every key: what is still down must be pressed again. */
  releaseKeys(): void {
    this.#keys.releaseAll();
  }

  /** Adds an output by full name; returns what removes it. Either ends a drive: who is driven has changed. */
  add(name: string, output: DriveOutput): () => void {
    this.#outputs.set(name, output);
    this.end('changed');
    return () => {
      output.stop();
      if (this.#outputs.get(name) === output) this.#outputs.delete(name);
      this.end('changed');
    };
  }

  #act(now: number): void {
    const hands = this.#hands();
    if (hands === undefined) {
      this.#stop();
      return;
    }
    const { powers, rates } = driveValues(this.#choices(), hands);
    for (const [name, output] of this.#outputs) output.set(powers.get(name) ?? rates.get(name) ?? 0, now);
  }

  #hands(): Hands | undefined {
    if (this.#hold.phase !== 'driving') return undefined;
    if (this.#hold.by === 'keys') return { by: 'keys', keys: this.#keys };
    return this.pad === undefined ? undefined : { by: 'pad', pad: this.pad };
  }

  #stop(): void {
    for (const output of this.#outputs.values()) output.stop();
  }
}
