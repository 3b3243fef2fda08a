import { onScopeDispose, ref, shallowRef, watch } from 'vue';
import type { GetImagesResponse, Image } from '../../../../proto/gen/core/component/camera/v1/camera.ts';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import { isDrawable } from './picture-format.ts';
import { PictureRate } from './picture-rate.ts';

/** After a failure nothing is asked for this long. */
const retryMs = 1_000;

/** A picture as it came. */
export interface LivePicture {
  readonly sourceName: string;
  readonly mimeType: string;
  readonly content: Blob;
  /** An address of the content in this page, good until another picture is shown. */
  readonly url: string;
  /** When it came for the first time, ms by the clock of this page. */
  readonly at: number;
}

export interface LivePictureOptions {
  /** Asks the camera for pictures of these sources; none means all. Rejects where there is no picture. */
  readonly ask: (sourceNames: readonly string[], signal: AbortSignal) => Promise<GetImagesResponse>;
  /** How often it is asked; 0 for not at all. */
  readonly frequencyHz: () => number;
  /** The source that is to be shown: the first one where the camera has none of that name. */
  readonly wantedSource: () => string;
}

/**
 * The newest picture of a camera. One call is under way at a time, the next begins when it is answered and its time has
 * come: a link that is too slow makes fewer pictures, and none waits in it. A camera of several sources is asked for all of
 * them once, and then for the one that is shown.
 */
export function useLivePicture({ ask, frequencyHz, wantedSource }: LivePictureOptions) {
  const picture = shallowRef<LivePicture>();
  const sources = shallowRef<readonly string[]>([]);
  /** Why there is no new picture, '' while there is. */
  const failure = ref('');
  const rate = new PictureRate();
  let current: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether `sources` are those that the camera has now. */
  let knowsSources = false;
  /** When the picture that is shown was taken, by the machine's clock. */
  let capturedAt: number | undefined;

  function show({ sourceName, mimeType, image }: Image, taken: number | undefined): void {
    const shown = picture.value;
    // The same one again, of a camera that is asked more often than it sees.
    if (shown?.sourceName === sourceName && taken !== undefined && taken === capturedAt) return;
    capturedAt = taken;
    // Only what is a picture may say so: the address can be opened in a window of its own.
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
        everyMs = Math.max(everyMs, retryMs);
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
    /** Pictures per second that came; undefined while there are too few to tell. */
    rateAt: (now: number): number | undefined => rate.at(now),
  };
}
