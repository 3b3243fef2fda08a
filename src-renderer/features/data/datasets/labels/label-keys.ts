/** Default keys of the commands of the labelling screen; the person may change them. */
export const labelCommands = {
  previous: 'D',
  next: 'F',
  newBox: 'N',
  repeat: 'R',
  draw: 'B',
  move: 'V',
  kind: 'T',
  nextSuggestion: 'S',
  accept: 'A',
  acceptAll: 'Shift+A',
  reject: 'X',
  rejectAll: 'Shift+X',
  undo: 'Mod+Z',
  redo: 'Mod+Shift+Z',
  redoToo: 'Mod+Y',
  zoomIn: '=',
  zoomOut: '-',
  fit: '0',
} as const;

export type LabelCommand = keyof typeof labelCommands;

/** Keys of the picture while it has the focus. They cannot be changed. */
export const pictureKeys = {
  cycle: ['Tab', 'Shift+Tab'],
  nudge: ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'],
  nudgeFar: ['Shift+ArrowLeft', 'Shift+ArrowRight', 'Shift+ArrowUp', 'Shift+ArrowDown'],
  resize: ['Alt+ArrowLeft', 'Alt+ArrowRight', 'Alt+ArrowUp', 'Alt+ArrowDown'],
  resizeFar: ['Alt+Shift+ArrowLeft', 'Alt+Shift+ArrowRight', 'Alt+Shift+ArrowUp', 'Alt+Shift+ArrowDown'],
  remove: ['Delete', 'Backspace'],
  letGo: ['Escape'],
} as const;

/** Hides the boxes while it is held. */
export const hideKey = 'H';

/** Id of the command that sets a class, from 1. */
export function classCommand(digit: number): string {
  return `labels.class-${digit}`;
}

/** The action of a key of the picture. */
export type BoxStep =
  | { readonly kind: 'move' | 'resize'; readonly dx: number; readonly dy: number }
  | { readonly kind: 'cycle'; readonly by: 1 | -1 }
  | { readonly kind: 'remove' }
  | { readonly kind: 'letGo' };

const directions: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** Step with Shift, in pixels of the picture. */
const FAR_STEP_PX = 10;

/** The action of a chord; undefined for other chords. Steps are in pixels of the picture. */
export function boxStep(chord: string): BoxStep | undefined {
  const parts = chord.split('+');
  const key = parts.pop() ?? '';
  const direction = directions[key];
  if (direction !== undefined && parts.every((part) => part === 'Alt' || part === 'Shift')) {
    const by = parts.includes('Shift') ? FAR_STEP_PX : 1;
    const kind = parts.includes('Alt') ? 'resize' : 'move';
    return { kind, dx: direction[0] * by, dy: direction[1] * by };
  }
  if (chord === 'Tab') return { kind: 'cycle', by: 1 };
  if (chord === 'Shift+Tab') return { kind: 'cycle', by: -1 };
  if (chord === 'Delete' || chord === 'Backspace') return { kind: 'remove' };
  return chord === 'Escape' ? { kind: 'letGo' } : undefined;
}
