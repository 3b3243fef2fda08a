import type { PinStyle } from '../../../../../../proto/config/models/motor-pins.ts';
import type { JsonObject } from '../../fields/form-field.ts';
import { pinsOf, type WireKey } from '../driver-style.ts';
import { driverBoards, type DriverBoard, type TieSource } from './driver-boards.ts';

const wireKeys: readonly WireKey[] = ['a', 'b', 'pwm', 'dir', 'en_high', 'en_low'];

/** A wire from a pin of the board to terminals of the driver. */
export interface Wire {
  readonly key: WireKey;
  /** '' as long as none is chosen. */
  readonly pin: string;
  /** More than one are joined; none if the driver has no terminal for it. */
  readonly terminals: readonly string[];
}

/** A terminal that is wired to something else than a pin of the motor. */
export interface Tie {
  readonly source: TieSource;
  readonly terminal: string;
}

/** Why the wires are not all right. */
export type WiringFault =
  /** The driver cannot be wired in the chosen style. */
  | { readonly kind: 'style' }
  /** No style is chosen. */
  | { readonly kind: 'no-style' }
  /** The driver has no terminal for a pin, though it fits the style. */
  | { readonly kind: 'no-terminal'; readonly key: WireKey };

export interface Wiring {
  readonly wires: readonly Wire[];
  readonly ties: readonly Tie[];
  readonly faults: readonly WiringFault[];
  /** The style to choose instead; undefined if the present one fits, or none does. */
  readonly instead: PinStyle | undefined;
}

/** The pins of a motor as its form shows them. */
export interface ShownPins {
  readonly pins: JsonObject;
  /** Undefined if none is chosen. */
  readonly style: PinStyle | undefined;
  /** Enable pins that the form asks for, with a value or without. */
  readonly enable: readonly ('en_high' | 'en_low')[];
}

/**
 * The wires between a board and a driver. Each pin that the form shows or that has a value is in exactly one wire, also
 * where the driver has no terminal for it, so that nothing of the configuration is missing in the picture.
 */
export function wiringOf(board: DriverBoard, { pins, style, enable }: ShownPins): Wiring {
  const { styles, best, ties } = driverBoards[board];
  const own = style === undefined ? undefined : styles[style];
  const pinOf = (key: WireKey): string => shownPin(pins[key]);
  const asked: readonly WireKey[] = [...(style === undefined ? [] : pinsOf(style)), ...enable];
  const wires = wireKeys
    .filter((key) => asked.includes(key) || pinOf(key) !== '')
    .map((key) => ({ key, pin: pinOf(key), terminals: own?.[key] ?? [] }));
  const isFed = (terminal: string): boolean => wires.some(({ terminals }) => terminals.includes(terminal));
  return {
    wires,
    ties: ties
      .filter((tie) => tie.styles === undefined || (style !== undefined && tie.styles.includes(style)))
      .filter(({ terminal }) => !isFed(terminal))
      .map(({ source, terminal }) => ({ source, terminal })),
    faults: faultsOf(),
    instead: own === undefined ? best : undefined,
  };

  function faultsOf(): WiringFault[] {
    // A speed controller for radio control is none of the styles, whichever is chosen.
    if (style === undefined && best !== undefined) return [{ kind: 'no-style' }];
    if (own === undefined) return [{ kind: 'style' }];
    return wires
      .filter(({ terminals }) => terminals.length === 0)
      .map(({ key }) => ({ kind: 'no-terminal' as const, key }));
  }
}

/** A value that is no text is shown, too: the form says what is wrong with it. */
function shownPin(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
