import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chordOf, isTyped, normalChord, shownChord, type KeyPress } from './chords.ts';

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

describe('chords of key presses', () => {
  it.each<[string, KeyPress, string | undefined]>([
    ['a letter', press('z', { code: 'KeyZ', ctrlKey: true }), 'Mod+Z'],
    ['a letter with Shift', press('Z', { code: 'KeyZ', ctrlKey: true, shiftKey: true }), 'Mod+Shift+Z'],
    ['a letter by its name, not its place', press('z', { code: 'KeyY', ctrlKey: true }), 'Mod+Z'],
    ['a Cyrillic layout by place', press('я', { code: 'KeyZ', ctrlKey: true }), 'Mod+Z'],
    ['a digit', press('1', { code: 'Digit1', ctrlKey: true }), 'Mod+1'],
    ['a digit of a French layout', press('&', { code: 'Digit1', ctrlKey: true }), 'Mod+1'],
    ['a digit that needs Shift', press('1', { code: 'Digit1', ctrlKey: true, shiftKey: true }), 'Mod+1'],
    ['a digit with Shift', press('!', { code: 'Digit1', ctrlKey: true, shiftKey: true }), 'Mod+Shift+1'],
    ['a digit of the number pad', press('1', { code: 'Numpad1', ctrlKey: true }), 'Mod+1'],
    ['? with Shift', press('?', { code: 'Slash', shiftKey: true }), '?'],
    ['/ where it needs Shift', press('/', { code: 'Digit7', ctrlKey: true, shiftKey: true }), 'Mod+/'],
    ['/ without Shift', press('/', { code: 'Slash', ctrlKey: true }), 'Mod+/'],
    ['a named key with Shift', press('F5', { code: 'F5', shiftKey: true }), 'Shift+F5'],
    ['Space', press(' ', { code: 'Space' }), 'Space'],
    ['a key that only modifies', press('Shift', { shiftKey: true }), undefined],
    ['a dead key', press('Dead', { code: 'Quote' }), undefined],
    ['the key of the system', press('l', { code: 'KeyL', metaKey: true }), undefined],
    [
      'AltGr, which types',
      press('@', { code: 'KeyQ', ctrlKey: true, altKey: true, getModifierState: (name) => name === 'AltGraph' }),
      '@',
    ],
  ])('%s', (_, event, chord) => {
    expect(chordOf(event, false)).toBe(chord);
  });

  it('on a Mac the command key is Mod, and Option types symbols', () => {
    expect(chordOf(press('k', { code: 'KeyK', metaKey: true }), true)).toBe('Mod+K');
    expect(chordOf(press('k', { code: 'KeyK', ctrlKey: true }), true)).toBe('Ctrl+K');
    expect(chordOf(press('˚', { code: 'KeyK', altKey: true }), true)).toBe('Alt+K');
  });
});

describe('chords as text', () => {
  it('have one normal form', () => {
    expect(normalChord('shift + mod + z')).toBe('Mod+Shift+Z');
    expect(normalChord('Mod++')).toBe('Mod++');
    expect(normalChord('?')).toBe('?');
    for (const wrong of ['', 'Mod', 'Hyper+K', 'Mod+Mod+K', 'Mod+']) expect(normalChord(wrong)).toBeUndefined();
  });

  it('of a key press are in normal form', () => {
    const letters = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split(''));
    fc.assert(
      fc.property(fc.boolean(), fc.boolean(), fc.boolean(), letters, (ctrlKey, altKey, shiftKey, letter) => {
        const key = shiftKey ? letter : letter.toLowerCase();
        const chord = chordOf(press(key, { code: `Key${letter}`, ctrlKey, altKey, shiftKey }), false) ?? '';
        expect(normalChord(chord)).toBe(chord);
        expect(normalChord(chord.split('+').reverse().slice(1).reverse().concat(letter).join('+'))).toBe(chord);
      }),
    );
  });

  it('are typed without Ctrl or Alt', () => {
    expect(['?', 'Shift+N', 'Space'].map(isTyped)).toEqual([true, true, true]);
    expect(['Mod+K', 'F2', 'Alt+1', 'Mod++', 'Delete'].map(isTyped)).toEqual([false, false, false, false, false]);
  });

  it('are shown with key labels', () => {
    expect(shownChord('Mod+Shift+Z', false)).toBe('Ctrl Shift Z');
    expect(shownChord('Mod+Shift+Z', true)).toBe('⌘ ⇧ Z');
    expect(shownChord('Mod++', false)).toBe('Ctrl +');
  });
});
