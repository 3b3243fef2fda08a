/** The fields of a keyboard event that are needed. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'> & {
  getModifierState?(name: string): boolean;
};

/** Whether Mod in chords is the Command key. */
export const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '');

const lone = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'NumLock', 'Fn', 'OS']);
const unknown = new Set(['Dead', 'Process', 'Unidentified', 'Compose']);

/** The key by the keyboard layout; by its position if the layout has no Latin letter or digit there. */
function keyOf(press: KeyPress, isHeld: boolean): string | undefined {
  const { key, code } = press;
  if (lone.has(key) || unknown.has(key)) return undefined;
  if (key === ' ') return 'Space';
  if (key.length > 1) return key;
  if (/^[a-z]$/i.test(key)) return key.toUpperCase();
  if (/^[0-9]$/.test(key)) return key;
  if (key === '/' || key === '?') return key;
  // Non-Latin letters, digits that need Shift, symbols by Option: with Ctrl or Alt the position of the key decides.
  const place = /^(?:Key([A-Z])|Digit([0-9]))$/.exec(code);
  const byPlace = place?.[1] ?? place?.[2];
  if (byPlace !== undefined && (isHeld || /\p{L}/u.test(key))) return byPlace;
  return key;
}

/** Whether Shift is part of the chord, not just needed for the character. */
function countsShift(key: string, press: KeyPress): boolean {
  if (!press.shiftKey) return false;
  return key.length > 1 || /[A-Z]/.test(key) || (/[0-9]/.test(key) && press.key !== key);
}

/**
 * The chord of a key press in its normal form, `Mod+Alt+Shift+Z`; undefined for modifier keys alone and for chords of
 * the operating system. Characters that need Shift on some layouts (`?`, `/`) are named without it.
 */
export function chordOf(press: KeyPress, mac: boolean = isMac): string | undefined {
  const isAltGr = press.getModifierState?.('AltGraph') === true;
  if (!mac && press.metaKey) return undefined;
  const mod = mac ? press.metaKey : press.ctrlKey && !isAltGr;
  const ctrl = mac && press.ctrlKey;
  const alt = press.altKey && !isAltGr;
  const key = keyOf(press, mod || alt || ctrl);
  if (key === undefined) return undefined;
  const parts = [mod && 'Mod', ctrl && 'Ctrl', alt && 'Alt', countsShift(key, press) && 'Shift', key];
  return parts.filter((part) => part !== false).join('+');
}

const order = ['Mod', 'Ctrl', 'Alt', 'Shift'];

/** The normal form of a written chord: `shift+mod+z` is `Mod+Shift+Z`. Undefined if it is not a chord. */
export function normalChord(text: string): string | undefined {
  const parts = text.split('+').map((part) => part.trim());
  // In `Mod++` the key is plus.
  if (text.endsWith('++')) parts.splice(-2, 2, '+');
  const key = parts.pop() ?? '';
  if (key === '' || order.includes(key)) return undefined;
  const held = parts.map((part) => part.slice(0, 1).toUpperCase() + part.slice(1).toLowerCase());
  if (held.some((part) => !order.includes(part)) || new Set(held).size !== held.length) return undefined;
  const named = key.length === 1 ? key.toUpperCase() : key.slice(0, 1).toUpperCase() + key.slice(1);
  return [...order.filter((part) => held.includes(part)), named].join('+');
}

/** Whether the chord would type something in a text field. */
export function isTyped(chord: string): boolean {
  const key = chord.endsWith('+') ? '+' : (chord.split('+').at(-1) ?? '');
  return !/^(Mod|Ctrl|Alt)\+/.test(chord) && (key.length === 1 || key === 'Space');
}

const caps: Readonly<Record<string, string>> = { ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→' };
const pcCaps: Readonly<Record<string, string>> = { ...caps, Mod: 'Ctrl', Escape: 'Esc', Delete: 'Del' };
const macCaps: Readonly<Record<string, string>> = {
  ...caps,
  Mod: '⌘',
  Ctrl: '⌃',
  Alt: '⌥',
  Shift: '⇧',
  Escape: 'Esc',
};

/** A chord as its keys are labelled: `Ctrl Shift Z`, on a Mac `⌘ ⇧ Z`. */
export function shownChord(chord: string, mac: boolean = isMac): string {
  const parts = chord.endsWith('++') ? [...chord.slice(0, -2).split('+'), '+'] : chord.split('+');
  const labels = mac ? macCaps : pcCaps;
  return parts.map((part) => labels[part] ?? part).join(' ');
}
