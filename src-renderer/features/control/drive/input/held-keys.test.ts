import { describe, expect, it } from 'vitest';
import { HeldKeys } from './held-keys.ts';

describe('held keys', () => {
  it('move forward, back, and nowhere while both are down', () => {
    const keys = new HeldKeys();
    keys.press('KeyW');
    expect(keys.valueOf('ws')).toBe(1);
    keys.press('KeyS');
    expect(keys.valueOf('ws')).toBe(0);
    keys.release('KeyW');
    expect(keys.valueOf('ws')).toBe(-1);
    keys.releaseAll();
    expect(keys.valueOf('ws')).toBe(0);
  });

  it('that were down before do not count until they are pressed again, however often they repeat', () => {
    const keys = new HeldKeys();
    keys.press('KeyW');
    keys.disregard();
    keys.press('KeyW');
    expect([keys.valueOf('ws'), keys.isDown('KeyW')]).toEqual([0, true]);
    keys.release('KeyW');
    keys.press('KeyW');
    expect(keys.valueOf('ws')).toBe(1);
  });
});
