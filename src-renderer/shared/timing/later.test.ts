import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { effectScope, nextTick } from 'vue';
import { isMounting, mountLater, useGrowing } from './later.ts';

const frames: (() => void)[] = [];
const page = { hidden: false };

beforeEach(() => {
  vi.useFakeTimers();
  page.hidden = false;
  vi.stubGlobal('document', page);
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => frames.push(draw));
});
afterEach(async () => {
  while (isMounting()) await drawFrame();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function drawFrame(): Promise<void> {
  for (const draw of frames.splice(0)) draw();
  await vi.runAllTimersAsync();
}

/** A part that takes `ms` to mount. */
function part(mounted: string[], name: string, ms: number): () => void {
  return () => {
    mounted.push(name);
    vi.advanceTimersByTime(ms);
  };
}

describe('parts of a page', () => {
  it('are mounted after the frame, as many as leave time for the next one, in their order', async () => {
    const mounted: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) mountLater(part(mounted, name, 8));
    expect(mounted).toEqual([]);
    await drawFrame();
    expect(mounted).toEqual(['a', 'b']);
    await drawFrame();
    expect(mounted).toEqual(['a', 'b', 'c', 'd']);
    expect(isMounting()).toBe(false);
    expect(frames).toHaveLength(0);
  });

  it('may be taken back, and may ask for more parts', async () => {
    const mounted: string[] = [];
    mountLater(() => {
      mounted.push('a');
      mountLater(part(mounted, 'inner', 0));
    });
    mountLater(part(mounted, 'gone', 0))();
    await drawFrame();
    await drawFrame();
    expect(mounted).toEqual(['a', 'inner']);
    mountLater(part(mounted, 'later', 0));
    await drawFrame();
    expect(mounted).toEqual(['a', 'inner', 'later']);
  });

  it('are mounted in a hidden page, which has no frames', async () => {
    page.hidden = true;
    const mounted: string[] = [];
    mountLater(part(mounted, 'a', 0));
    await vi.runAllTimersAsync();
    expect(mounted).toEqual(['a']);
  });
});

describe('a list that grows', () => {
  it('has its first items at once, and then more, until all are there; then every new one', async () => {
    let length = 5;
    const scope = effectScope();
    const count = scope.run(() => useGrowing(() => length, 2));
    expect(count?.value).toBe(2);
    await drawFrame();
    await nextTick();
    expect(count?.value).toBe(Infinity);
    length = 50;
    expect(count?.value).toBe(Infinity);
    expect(isMounting()).toBe(false);
    scope.stop();
  });

  it('is whole at once if it is short', () => {
    const scope = effectScope();
    expect(scope.run(() => useGrowing(() => 2, 2))?.value).toBe(Infinity);
    expect(isMounting()).toBe(false);
    scope.stop();
  });

  it('asks for nothing any more when its component is gone', async () => {
    const scope = effectScope();
    const count = scope.run(() => useGrowing(() => 5, 1));
    scope.stop();
    expect(isMounting()).toBe(false);
    await drawFrame();
    expect(count?.value).toBe(1);
  });
});
