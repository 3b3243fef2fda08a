import { onScopeDispose, ref, shallowRef, watch } from 'vue';
import type { GetImagesResponse, Image } from '../../../../proto/gen/core/component/camera/v1/camera.ts';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import { isDrawable } from './picture-format.ts';
import { PictureRate } from './picture-rate.ts';

/** After a failure the camera is not asked for this long. */
const MIN_RETRY_MS = 1_000;

/** A picture that was received. */
export interface LivePicture {
  readonly sourceName: string;
  readonly mimeType: string;
  readonly content: Blob;
  /** Object URL of the content, valid until another picture is shown. */
  readonly url: string;
  /** When it first arrived, by the clock of this page, ms. */
  readonly at: number;
}

export interface LivePictureOptions {
  /** Requests pictures of these sources from the camera; none means all. Rejects where there is no picture. */
  readonly ask: (sourceNames: readonly string[], signal: AbortSignal) => Promise<GetImagesResponse>;
  /** How often the camera is asked; 0 for not at all. */
  readonly frequencyHz: () => number;
  /** Name of the source to show; where the camera has no such source, the first one is shown. */
  readonly wantedSource: () => string;
}

/**
 * Fetches the newest picture of a camera. There is one call at a time; the next starts when it is answered and the
 * interval is over, so that a slow connection gives fewer pictures and never queues them. A camera with several sources
 * is asked for all of them once, and then only for the one that is shown.
 */
export function useLivePicture({ ask, frequencyHz, wantedSource }: LivePictureOptions) {
  const picture = shallowRef<LivePicture>();
  const sources = shallowRef<readonly string[]>([]);
  /** Why the last call failed; '' where it did not. */
  const failure = ref('');
  const rate = new PictureRate();
  let current: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether `sources` is up to date. */
  let knowsSources = false;
  /** When the shown picture was taken, by the machine's clock. */
  let capturedAt: number | undefined;

  function show({ sourceName, mimeType, image }: Image, taken: number | undefined): void {
    const shown = picture.value;
    // The same picture again: the camera is asked more often than it takes pictures.
    if (shown?.sourceName === sourceName && taken !== undefined && taken === capturedAt) return;
    capturedAt = taken;
    // No other type is passed on: the URL can be opened in a window of its own, where a page or script would run.
    const type = isDrawable(mimeType) ? mimeType : 'application/octet-stream';
    const content = new Blob([image as Uint8Array<ArrayBuffer>], { type });
    const at = Date.now();
    rate.add(at);
    picture.value = { sourceName, mimeType, content, url: URL.createObjectURL(content), at };
    if (shown !== undefined) URL.revokeObjectURL(shown.url);
  }

  async function take(signal: AbortSignal): Promise<void> {
    const names = sources.value;
    const wanted = names.includes(wantedSource()) ? wantedSource() : names[0];
    const isForOne = knowsSources && names.length > 1 && wanted !== undefined;
    const { images, responseMetadata } = await ask(isForOne ? [wanted] : [], signal);
    if (signal.aborted) return;
    if (!isForOne) sources.value = images.map(({ sourceName }) => sourceName);
    knowsSources = true;
    const image = images.find(({ sourceName }) => sourceName === wantedSource()) ?? images[0];
    if (image !== undefined) show(image, responseMetadata?.capturedAt?.getTime());
    failure.value = '';
  }

  async function run({ signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      const startedAt = performance.now();
      let everyMs = 1_000 / frequencyHz();
      try {
        await take(signal);
      } catch (thrown) {
        if (signal.aborted) return;
        failure.value = messageOf(thrown);
        knowsSources = false;
        everyMs = Math.max(everyMs, MIN_RETRY_MS);
      }
      await new Promise((resolve) => (timer = setTimeout(resolve, startedAt + everyMs - performance.now())));
    }
  }

  function halt(): void {
    clearTimeout(timer);
    current?.abort();
    current = undefined;
  }

  watch(
    [frequencyHz, wantedSource],
    ([hz]) => {
      halt();
      if (hz === 0) return;
      current = new AbortController();
      void run(current);
    },
    { immediate: true },
  );
  onScopeDispose(() => {
    halt();
    if (picture.value !== undefined) URL.revokeObjectURL(picture.value.url);
  });

  return {
    picture,
    sources,
    failure,
    /** Pictures per second that arrived; undefined while there are too few. */
    rateAt: (now: number): number | undefined => rate.at(now),
  };
}
