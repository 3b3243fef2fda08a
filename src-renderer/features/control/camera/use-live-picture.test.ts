import { effectScope, nextTick, ref, type EffectScope } from 'vue';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GetImagesResponse } from '../../../../proto/gen/core/component/camera/v1/camera.ts';
import { useLivePicture } from './use-live-picture.ts';

interface Asked {
  readonly sources: readonly string[];
  readonly signal: AbortSignal;
  readonly answer: (response: GetImagesResponse) => void;
  readonly fail: (reason: string) => void;
}

const answerOf = (names: readonly string[], capturedAt?: number, mimeType = 'image/jpeg'): GetImagesResponse => ({
  images: names.map((sourceName) => ({
    sourceName,
    mimeType,
    image: Uint8Array.from(sourceName, (c) => c.charCodeAt(0)),
  })),
  responseMetadata: capturedAt === undefined ? undefined : { capturedAt: new Date(capturedAt) },
});

let scope: EffectScope;
let made: string[];
let revoked: string[];

beforeEach(() => {
  vi.useFakeTimers();
  scope = effectScope(true);
  made = [];
  revoked = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation(() => {
    made.push(`blob:${made.length}`);
    return made.at(-1)!;
  });
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => void revoked.push(url));
});
afterEach(() => {
  scope.stop();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function bench(hz = 5) {
  const asked: Asked[] = [];
  const frequencyHz = ref(hz);
  const wantedSource = ref('');
  const live = scope.run(() =>
    useLivePicture({
      ask: (sources, signal) =>
        new Promise((answer, reject) =>
          asked.push({ sources, signal, answer, fail: (reason) => reject(new Error(reason)) }),
        ),
      frequencyHz: () => frequencyHz.value,
      wantedSource: () => wantedSource.value,
    }),
  )!;
  const settle = () => vi.advanceTimersByTimeAsync(0);
  return { asked, frequencyHz, wantedSource, live, settle };
}

describe('the newest picture', () => {
  it('is requested at the wanted rate, one call at a time', async () => {
    const { asked, live, settle } = bench();
    expect(asked.map(({ sources }) => sources)).toEqual([[]]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked).toHaveLength(1);
    asked[0]!.answer(answerOf(['color'], 1));
    await settle();
    expect(live.picture.value).toMatchObject({ sourceName: 'color', mimeType: 'image/jpeg', url: 'blob:0' });
    expect(await live.picture.value!.content.text()).toBe('color');
    // The first call took longer than the interval: the next one starts at once, and another one 200 ms after it.
    expect(asked).toHaveLength(2);
    asked[1]!.answer(answerOf(['color'], 2));
    await vi.advanceTimersByTimeAsync(199);
    expect(asked).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toHaveLength(3);
  });

  it('replaces the previous one, whose URL is revoked; the last URL is revoked with the card', async () => {
    const { asked, settle } = bench();
    for (let index = 0; index < 3; index++) {
      asked[index]!.answer(answerOf(['color'], index));
      await vi.advanceTimersByTimeAsync(200);
    }
    await settle();
    expect([made.length, revoked]).toEqual([3, ['blob:0', 'blob:1']]);
    scope.stop();
    expect(revoked).toEqual(made);
    expect(asked.at(-1)!.signal.aborted).toBe(true);
  });

  it('is not replaced by the same one sent again', async () => {
    const { asked, live } = bench();
    asked[0]!.answer(answerOf(['color'], 77));
    await vi.advanceTimersByTimeAsync(200);
    const first = live.picture.value;
    asked[1]!.answer(answerOf(['color'], 77));
    await vi.advanceTimersByTimeAsync(200);
    expect(live.picture.value).toBe(first);
    // Without a capture time every picture counts as new.
    asked[2]!.answer(answerOf(['color']));
    await vi.advanceTimersByTimeAsync(200);
    asked[3]!.answer(answerOf(['color']));
    await vi.advanceTimersByTimeAsync(200);
    expect(made).toHaveLength(3);
  });

  it('is not requested while none is wanted, and the running call is cancelled', async () => {
    const { asked, frequencyHz, live } = bench();
    asked[0]!.answer(answerOf(['color'], 1));
    await vi.advanceTimersByTimeAsync(200);
    frequencyHz.value = 0;
    await nextTick();
    expect(asked[1]!.signal.aborted).toBe(true);
    asked[1]!.answer(answerOf(['color'], 2));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toHaveLength(2);
    expect(live.picture.value?.url).toBe('blob:0');
    frequencyHz.value = 1;
    await nextTick();
    expect(asked).toHaveLength(3);
  });

  it('stays after a failure, with the reason, and the camera is asked again', async () => {
    const { asked, live, settle } = bench();
    asked[0]!.answer(answerOf(['color'], 1));
    await vi.advanceTimersByTimeAsync(200);
    asked[1]!.fail('the lens is dirty');
    await settle();
    expect([live.failure.value, live.picture.value?.url]).toEqual(['the lens is dirty', 'blob:0']);
    await vi.advanceTimersByTimeAsync(999);
    expect(asked).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    asked[2]!.answer(answerOf(['color'], 2));
    await settle();
    expect([live.failure.value, live.picture.value?.url]).toEqual(['', 'blob:1']);
  });

  it('is that of the wanted source, and no other source is requested', async () => {
    const { asked, wantedSource, live, settle } = bench();
    asked[0]!.answer(answerOf(['color', 'depth'], 1));
    await vi.advanceTimersByTimeAsync(200);
    expect([live.sources.value, asked[1]!.sources]).toEqual([['color', 'depth'], ['color']]);
    wantedSource.value = 'depth';
    await nextTick();
    expect(asked[2]!.sources).toEqual(['depth']);
    asked[2]!.answer(answerOf(['depth'], 2));
    await settle();
    expect([live.picture.value?.sourceName, live.sources.value]).toEqual(['depth', ['color', 'depth']]);
    await vi.advanceTimersByTimeAsync(200);
    // The camera may have been replaced by another: after a failure all sources are requested again.
    asked[3]!.fail('no such source');
    await vi.advanceTimersByTimeAsync(1_000);
    asked[4]!.answer(answerOf(['heat'], 3));
    await settle();
    expect([asked[4]!.sources, live.picture.value?.sourceName, live.sources.value]).toEqual([[], 'heat', ['heat']]);
  });

  it('is never served as a page or script, whatever type the camera gives', async () => {
    const { asked, live, settle } = bench();
    asked[0]!.answer(answerOf(['color'], 1, 'text/html'));
    await settle();
    expect(live.picture.value!.content.type).toBe('application/octet-stream');
  });

  it('has a measured rate', async () => {
    const { asked, live } = bench();
    for (let index = 0; index < 6; index++) {
      asked[index]!.answer(answerOf(['color'], index));
      await vi.advanceTimersByTimeAsync(200);
    }
    expect(live.rateAt(Date.now())).toBeCloseTo(5);
  });
});
