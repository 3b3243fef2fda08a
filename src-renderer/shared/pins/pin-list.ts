/** A live number of a resource that the person wants to see on the Overview screen. */
export interface Pin {
  /** Full name. */
  readonly resource: string;
  /** `speed`, `power`, `position`, `volts`, `amperes`, `watts`, `reading/<name>` or `analog/<name>`. */
  readonly value: string;
}

export const MAX_PINS = 8;

export function isSamePin(one: Pin, other: Pin): boolean {
  return one.resource === other.resource && one.value === other.value;
}

/** A key for a value of a resource. */
export function pinKey({ resource, value }: Pin): string {
  return `${resource} ${value}`;
}

/** Adds a pin at the end. Returns the same list if it is full or has the pin. */
export function withPin(pins: readonly Pin[], pin: Pin): readonly Pin[] {
  if (pins.length >= MAX_PINS || pins.some((other) => isSamePin(other, pin))) return pins;
  return [...pins, pin];
}

export function withoutPin(pins: readonly Pin[], pin: Pin): readonly Pin[] {
  return pins.filter((other) => !isSamePin(other, pin));
}

/** Moves a pin by some places, at most to an end of the list. Returns the same list if nothing moves. */
export function withMovedPin(pins: readonly Pin[], pin: Pin, by: number): readonly Pin[] {
  const from = pins.findIndex((other) => isSamePin(other, pin));
  const to = Math.min(Math.max(from + by, 0), pins.length - 1);
  if (from < 0 || to === from) return pins;
  const rest = pins.filter((_, index) => index !== from);
  return [...rest.slice(0, to), pin, ...rest.slice(to)];
}

/** Reads kept pins. Invalid and surplus entries are left out: a browser may hold anything under our key. */
export function parsePins(text: string | null): readonly Pin[] {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(kept)) return [];
  return kept.reduce<readonly Pin[]>((pins, entry: unknown) => {
    const { resource, value } = (typeof entry === 'object' && entry !== null ? entry : {}) as Partial<
      Record<keyof Pin, unknown>
    >;
    const isGood = typeof resource === 'string' && typeof value === 'string' && resource !== '' && value !== '';
    return isGood ? withPin(pins, { resource, value }) : pins;
  }, []);
}
