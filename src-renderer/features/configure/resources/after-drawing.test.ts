import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { effectScope, nextTick, shallowRef } from 'vue';
import { afterDrawing } from './after-drawing.ts';

const frames: (() => void)[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => frames.push(draw));
  vi.stubGlobal('cancelAnimationFrame', () => frames.splice(0));
});
afterEach(() => {
  frames.splice(0);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function drawFrame(): void {
  for (const draw of frames.splice(0)) draw();
  vi.runAllTimers();
}

function following(source: { readonly value: string }) {
  const scope = effectScope();
  const shown = scope.run(() =>
    afterDrawing(
      () => source.value,
      (before, next) => before.length === next.length,
    ),
  );
  return { shown, scope };
}

describe('a value that follows after drawing', () => {
  it('is the newest one, one task after the frame', async () => {
    const source = shallowRef('a');
    const { shown } = following(source);
    for (const next of ['b', 'c']) {
      source.value = next;
      await nextTick();
    }
    expect(shown?.value).toBe('a');
    expect(frames).toHaveLength(1);
    drawFrame();
    expect(shown?.value).toBe('c');
  });

  it('follows at once if it may not wait, and no older value comes after it', async () => {
    const source = shallowRef('a');
    const { shown } = following(source);
    source.value = 'b';
    await nextTick();
    source.value = 'two';
    await nextTick();
    expect(shown?.value).toBe('two');
    expect(frames).toHaveLength(0);
  });

  it('does not follow when the scope has ended', async () => {
    const source = shallowRef('a');
    const { shown, scope } = following(source);
    source.value = 'b';
    await nextTick();
    scope.stop();
    drawFrame();
    expect(shown?.value).toBe('a');
  });
});
