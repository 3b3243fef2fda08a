/** What a key does in a plot that has the focus. */
export type PlotAction =
  /** Moves the reading by samples. */
  | { readonly kind: 'step'; readonly by: number }
  /** Moves the reading to the first or the last sample. */
  | { readonly kind: 'end'; readonly end: 'first' | 'last' }
  /** Moves the view by a share of its length. */
  | { readonly kind: 'pan'; readonly share: number }
  | { readonly kind: 'zoom'; readonly factor: number }
  /** Shows the chosen time again. */
  | { readonly kind: 'whole' }
  /** Pauses, or goes back to live. */
  | { readonly kind: 'pause' }
  | { readonly kind: 'cursor'; readonly name: 'a' | 'b' }
  | { readonly kind: 'clear' };

/** How much longer a view becomes at a press of *-*. */
export const ZOOM_FACTOR = 2;
const farSteps = 10;
const panShare = 0.1;

type KeyPress = Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/**
 * The action of a key press; undefined if the plot leaves the key alone. Space and Esc are never among them: they stop
 * the machine, whatever has the focus.
 */
export function plotActionOf({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyPress): PlotAction | undefined {
  if (ctrlKey || metaKey) return undefined;
  const direction = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (direction !== undefined) {
    if (altKey) return { kind: 'pan', share: direction * panShare };
    return { kind: 'step', by: direction * (shiftKey ? farSteps : 1) };
  }
  if (altKey) return undefined;
  switch (key.toLowerCase()) {
    case 'home':
      return { kind: 'end', end: 'first' };
    case 'end':
      return { kind: 'end', end: 'last' };
    case '+':
    case '=':
      return { kind: 'zoom', factor: 1 / ZOOM_FACTOR };
    case '-':
      return { kind: 'zoom', factor: ZOOM_FACTOR };
    case '0':
      return { kind: 'whole' };
    case 'p':
      return { kind: 'pause' };
    case 'a':
      return { kind: 'cursor', name: 'a' };
    case 'b':
      return { kind: 'cursor', name: 'b' };
    case 'c':
      return { kind: 'clear' };
    default:
      return undefined;
  }
}
