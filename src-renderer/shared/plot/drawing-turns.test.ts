import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DrawingTurns } from './drawing-turns.ts';

const smoothMs = 16;
const lateMs = 45;

let onFrame: ((now: number) => void) | undefined;
let now = 5_000;

/** Lets the next frame begin so much later; whether one was asked for. */
function frame(afterMs: number): boolean {
  const draw = onFrame;
  onFrame = undefined;
  now += afterMs;
  draw?.(now);
  return draw !== undefined;
}

beforeEach(() => {
  vi.stubGlobal('requestAnimationFrame', (draw: (now: number) => void) => {
    onFrame = draw;
    return 1;
  });
});
afterEach(() => {
  onFrame = undefined;
  vi.unstubAllGlobals();
});

describe('plots that are drawn in turns', () => {
  const drawn: string[] = [];
  const plots = [...'abcdefghij'].map((name) => () => void drawn.push(name));
  const turns = new DrawingTurns();
  const ask = (): void => plots.forEach((plot) => turns.ask(plot));
  /** What the next frame draws. */
  const next = (afterMs: number): string => {
    frame(afterMs);
    return drawn.splice(0).join('');
  };

  it('are drawn one more in each frame while frames are smooth', () => {
    ask();
    ask();
    expect(drawn).toEqual([]);
    expect([next(smoothMs), next(smoothMs), next(smoothMs), next(smoothMs)]).toEqual(['a', 'bc', 'def', 'ghij']);
    expect(next(smoothMs)).toBe('');
    expect(frame(smoothMs)).toBe(false);
  });

  it('are drawn one by one where a frame is late', () => {
    ask();
    expect([next(lateMs), next(smoothMs), next(lateMs), next(lateMs)]).toEqual(['a', 'bc', 'd', 'e']);
    expect([next(smoothMs), next(smoothMs)]).toEqual(['fg', 'hij']);
    next(smoothMs);
  });

  it('begin with one after a pause, whatever was before it', () => {
    ask();
    while (frame(smoothMs));
    drawn.splice(0);
    ask();
    expect([next(smoothMs), next(smoothMs)]).toEqual(['a', 'bc']);
    while (frame(smoothMs));
    drawn.splice(0);
  });

  it('leave out what is gone', () => {
    ask();
    plots.slice(0, 8).forEach((plot) => turns.drop(plot));
    expect([next(lateMs), next(lateMs)]).toEqual(['i', 'j']);
  });
});
