/** What is read of a gamepad of the browser. */
export interface ReadPad {
  readonly index: number;
  readonly id: string;
  readonly connected: boolean;
  readonly mapping: string;
  readonly axes: readonly number[];
  readonly buttons: readonly { readonly pressed: boolean; readonly value: number }[];
}

/** The gamepad that is followed, as it was at the last look. */
export interface Pad {
  readonly index: number;
  /** As the browser names it. */
  readonly id: string;
  /** Whether the browser knows which axis and which button is where. */
  readonly isStandard: boolean;
  /** -1 to 1. */
  readonly axes: readonly number[];
  readonly buttons: readonly { readonly isPressed: boolean; readonly value: number }[];
}

/** An axis that moves less than this has not been moved by a person: sticks tremble. */
const MIN_MOVE = 0.1;

/**
 * Follows one gamepad. It stays the same until it is gone; then, or when a button of another one is pressed, another is
 * followed. Two gamepads never count as one: each one that is followed gets a number of its own, also the same one when
 * it is plugged in again.
 */
export class PadWatch {
  #pad: Pad | undefined;
  #number = 0;
  #changes = 0;
  /** The axes of the last movement by a person. */
  #moved: readonly number[] = [];
  /** Indexes of gamepads that were unplugged since the last look. */
  readonly #unplugged = new Set<number>();
  /** Those on which a button was down at the last look. */
  #pressing = new Set<number>();

  /** Undefined where there is none. */
  get pad(): Pad | undefined {
    return this.#pad;
  }

  /** Differs for each gamepad that is followed. */
  get number(): number {
    return this.#number;
  }

  /** Counts what a person did: buttons that changed, sticks that moved. A stick that is held or stuck adds nothing. */
  get changes(): number {
    return this.#changes;
  }

  /** The browser said that the gamepad of this index was unplugged, or that one was plugged in. */
  unplug(index: number): void {
    this.#unplugged.add(index);
  }

  /**
   * Reads what the browser has now.
   * @param mayChange whether a button of another gamepad makes that the followed one
   */
  look(found: readonly (ReadPad | null)[], mayChange: boolean): void {
    const present = found.filter((each): each is ReadPad => each?.connected === true);
    const own = present.find(({ index, id }) => index === this.#pad?.index && id === this.#pad.id);
    const isGone = own === undefined || this.#unplugged.has(own.index);
    const pressing = present.filter(({ buttons }) => buttons.some(({ pressed }) => pressed));
    const taker = mayChange
      ? pressing.find(({ index }) => index !== own?.index && !this.#pressing.has(index))
      : undefined;
    const next = taker ?? (isGone ? present[0] : own);
    if (next === undefined || isGone || next !== own) this.#follow(next);
    else this.#read(next);
    this.#pressing = new Set(pressing.map(({ index }) => index));
    this.#unplugged.clear();
  }

  #follow(next: ReadPad | undefined): void {
    if (next === undefined && this.#pad === undefined) return;
    this.#number += 1;
    this.#changes += 1;
    this.#pad = next === undefined ? undefined : padOf(next);
    this.#moved = this.#pad?.axes ?? [];
  }

  #read(next: ReadPad): void {
    const pad = padOf(next);
    const hasPressed = pad.buttons.some(({ isPressed }, at) => isPressed !== this.#pad?.buttons[at]?.isPressed);
    const hasMoved = pad.axes.some((value, at) => Math.abs(value - (this.#moved[at] ?? 0)) > MIN_MOVE);
    if (hasMoved) this.#moved = pad.axes;
    if (hasPressed || hasMoved) this.#changes += 1;
    this.#pad = pad;
  }
}

function padOf({ index, id, mapping, axes, buttons }: ReadPad): Pad {
  return {
    index,
    id,
    isStandard: mapping === 'standard',
    axes: axes.map((value) => (Number.isFinite(value) ? Math.max(-1, Math.min(1, value)) : 0)),
    buttons: buttons.map(({ pressed, value }) => ({ isPressed: pressed, value })),
  };
}
