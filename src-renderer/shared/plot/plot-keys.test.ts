import { describe, expect, it } from 'vitest';
import { plotActionOf } from './plot-keys.ts';

const plain = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };
const actionOf = (key: string, held: Partial<typeof plain> = {}) => plotActionOf({ ...plain, ...held, key });

describe('the keys of a plot', () => {
  it('never take Space or Esc, which stop the machine', () => {
    for (const key of [' ', 'Escape']) {
      for (const held of [{}, { shiftKey: true }, { altKey: true }]) expect(actionOf(key, held)).toBeUndefined();
    }
  });

  it('leave chords with Ctrl, Tab, Enter and other letters to the window', () => {
    expect(actionOf('a', { ctrlKey: true })).toBeUndefined();
    expect(actionOf('0', { metaKey: true })).toBeUndefined();
    for (const key of ['Tab', 'Enter', 'x', 'ArrowUp', 'ArrowDown', '?']) expect(actionOf(key)).toBeUndefined();
  });

  it('read, move, zoom and measure', () => {
    expect(actionOf('ArrowLeft')).toEqual({ kind: 'step', by: -1 });
    expect(actionOf('ArrowRight', { shiftKey: true })).toEqual({ kind: 'step', by: 10 });
    expect(actionOf('ArrowLeft', { altKey: true })).toEqual({ kind: 'pan', share: -0.1 });
    expect(actionOf('Home')).toEqual({ kind: 'end', end: 'first' });
    expect(actionOf('+')).toEqual({ kind: 'zoom', factor: 0.5 });
    expect(actionOf('-')).toEqual({ kind: 'zoom', factor: 2 });
    expect(actionOf('0')).toEqual({ kind: 'whole' });
    expect(actionOf('B', { shiftKey: true })).toEqual({ kind: 'cursor', name: 'b' });
    expect(actionOf('p')).toEqual({ kind: 'pause' });
    expect(actionOf('c')).toEqual({ kind: 'clear' });
  });
});
