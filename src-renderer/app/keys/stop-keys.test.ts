import { describe, expect, it } from 'vitest';
import { escapeStops, spaceStops, type StopSituation } from './stop-keys.ts';

const idle: StopSituation = {
  isControlOn: true,
  isTaken: false,
  takesText: false,
  isHeldBySpace: false,
  isPressable: false,
  isLeftByPointer: false,
  isInDialog: false,
};

describe('Esc', () => {
  it('stops, whatever has the focus', () => {
    expect(escapeStops({ ...idle, takesText: true, isPressable: true })).toBe(true);
    expect(escapeStops({ ...idle, isControlOn: false })).toBe(true);
  });

  it('does not stop if something else handles it and control is off', () => {
    expect(escapeStops({ ...idle, isTaken: true, isControlOn: false })).toBe(false);
    expect(escapeStops({ ...idle, isTaken: true })).toBe(true);
  });
});

describe('Space', () => {
  it('stops while control is on', () => {
    expect(spaceStops(idle)).toBe(true);
    expect(spaceStops({ ...idle, isControlOn: false })).toBe(false);
  });

  it('types in a text field, and presses what was focused with the keyboard', () => {
    expect(spaceStops({ ...idle, takesText: true })).toBe(false);
    expect(spaceStops({ ...idle, takesText: true, isLeftByPointer: true })).toBe(false);
    expect(spaceStops({ ...idle, isPressable: true })).toBe(false);
  });

  it('is held where something runs while it is, also after a click', () => {
    expect(spaceStops({ ...idle, isHeldBySpace: true, isLeftByPointer: true })).toBe(false);
  });

  it('stops on a button that was clicked and does not press it again, but in a dialog it presses', () => {
    expect(spaceStops({ ...idle, isPressable: true, isLeftByPointer: true })).toBe(true);
    expect(spaceStops({ ...idle, isPressable: true, isLeftByPointer: true, isInDialog: true })).toBe(false);
  });
});
