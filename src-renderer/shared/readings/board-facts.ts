import type { AppliedEntry } from '../stores/applied-config.ts';

/** What a pin is used for. */
export type PinUse = 'out' | 'pwm' | 'in' | 'irq';

export interface UsedPin {
  readonly pin: string;
  readonly use: PinUse;
  /** Name of the digital interrupt on this pin; '' for other pins. */
  readonly interrupt: string;
  /** Names of the components that use it; empty for an unused interrupt. */
  readonly owners: readonly string[];
}

export interface BoardFacts {
  /** Names. */
  readonly analogs: readonly string[];
  /** Sorted by pin. */
  readonly pins: readonly UsedPin[];
}

/**
 * The analogs and pins of a board, and what uses them. Read from the configuration of the machine, because no call of
 * the board's API lists them.
 */
export function boardFacts(board: string, components: readonly AppliedEntry[]): BoardFacts {
  const own = components.find(({ name }) => name === board)?.attributes ?? {};
  const pins = new Map<string, UsedPin>();
  for (const { name, pin } of namedEntries(own['digital_interrupts'])) {
    pins.set(pin === '' ? name : pin, { pin: pin === '' ? name : pin, use: 'irq', interrupt: name, owners: [] });
  }
  for (const { name, attributes } of components) {
    if (attributes['board'] !== board || !isRecord(attributes['pins'])) continue;
    for (const [role, value] of Object.entries(attributes['pins'])) {
      if (typeof value !== 'string' || value === '') continue;
      // An encoder names the interrupt, or its pin.
      const known = [...pins.values()].find((each) => each.pin === value || each.interrupt === value);
      const use = role === 'pwm' ? 'pwm' : 'out';
      const found = known ?? { pin: value, use, interrupt: '', owners: [] };
      pins.set(found.pin, { ...found, owners: [...found.owners, name] });
    }
  }
  return { analogs: namedEntries(own['analogs']).map(({ name }) => name), pins: [...pins.values()].sort(byPin) };
}

/** Orders pins: 9 before 11, and numbers before names. */
export function byPin(left: { readonly pin: string }, right: { readonly pin: string }): number {
  return left.pin.localeCompare(right.pin, 'en', { numeric: true });
}

/** The entries of a configuration list that have a name; other entries are left out. */
export function namedEntries(list: unknown): { readonly name: string; readonly pin: string }[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    if (!isRecord(entry) || typeof entry['name'] !== 'string') return [];
    const { pin } = entry;
    return [{ name: entry['name'], pin: typeof pin === 'string' ? pin : '' }];
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
