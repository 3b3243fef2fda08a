import { computed, ref, type Ref, type ShallowRef } from 'vue';
import { downloadBlob } from '../../../shared/files/download.ts';
import { formatFixed } from '../../../shared/format-number.ts';
import { useConnection } from '../../../shared/stores/connection.ts';
import { useText } from '../../../shared/text.ts';
import { formatTime } from '../../../shared/timing/age.ts';
import { pictureMessages } from './messages.ts';
import { formatName, isDrawable, pictureFileName } from './picture-format.ts';
import type { LivePicture } from './use-live-picture.ts';

/** Pictures per second that a person may choose; 0 pauses. */
const paces = ['0', '1', '5', '15'] as const;

/** Tone of the chip for each state. */
const tones = { live: 'ok', old: 'warn', none: 'bad', paused: 'off', waiting: 'off' } as const;

/** The choice of pictures per second. */
export function usePace() {
  const t = useText(pictureMessages);
  const chosen = ref<(typeof paces)[number]>('5');
  return {
    chosen,
    options: computed(() =>
      paces.map((value) => ({
        value,
        label: value === '0' ? t('picture.pause') : value + t('picture.perSecond'),
      })),
    ),
    isPaused: computed(() => chosen.value === '0'),
    frequencyHz: computed(() => Number(chosen.value)),
  };
}

export interface PictureViewOptions {
  readonly picture: Readonly<ShallowRef<LivePicture | undefined>>;
  readonly failure: Readonly<Ref<string>>;
  readonly rateAt: (now: number) => number | undefined;
  readonly now: Readonly<Ref<number>>;
  readonly isPaused: () => boolean;
  /** Whether there is a camera to ask; true by default. */
  readonly isPossible?: () => boolean;
  /** For the file name of a saved picture. */
  readonly cameraName: () => string;
  /** Texts for a failure: `failed` where no picture arrived, `failing` where none arrived since a time. */
  readonly words: {
    readonly failed: (reason: string) => string;
    readonly failing: (time: string, reason: string) => string;
  };
}

/** What a card shows about its live picture: state, problem, rate, and a text where no picture can be drawn. */
export function usePictureView(options: PictureViewOptions) {
  const { picture, failure, rateAt, now, isPaused, isPossible = () => true, cameraName, words } = options;
  const t = useText(pictureMessages);
  const connection = useConnection();

  /** Why no new picture arrives although one is wanted; '' where nothing is wrong. */
  const reason = computed(() => {
    if (isPaused() || !isPossible()) return '';
    return connection.isConnected ? failure.value : t('picture.linkLost');
  });
  const state = computed(() => {
    if (reason.value !== '') return picture.value === undefined ? 'none' : 'old';
    if (isPaused()) return 'paused';
    return picture.value === undefined ? 'waiting' : 'live';
  });
  const problem = computed(() => {
    if (reason.value === '') return '';
    if (picture.value === undefined) return words.failed(reason.value);
    return words.failing(formatTime(picture.value.at).slice(0, 8), reason.value);
  });

  /** URL of a picture that the browser could not decode. */
  const damagedUrl = ref('');
  const isShown = computed(
    () => picture.value !== undefined && isDrawable(picture.value.mimeType) && damagedUrl.value !== picture.value.url,
  );
  const instead = computed(() => {
    if (picture.value === undefined) return t(isPaused() ? 'picture.paused' : 'picture.waiting');
    if (damagedUrl.value === picture.value.url) return t('picture.damaged');
    return t('picture.notDrawn', { format: formatName(picture.value.mimeType) });
  });
  const rate = computed(() => {
    const perSecond = rateAt(now.value);
    return perSecond === undefined ? '' : formatFixed(perSecond, 1);
  });

  function save(): void {
    if (picture.value === undefined) return;
    const { sourceName, mimeType, content, at } = picture.value;
    downloadBlob(pictureFileName(cameraName(), sourceName, mimeType, at), content);
  }

  return {
    state,
    tone: computed(() => tones[state.value]),
    stateWord: computed(() => t(`picture.states.${state.value}`)),
    problem,
    isShown,
    damagedUrl,
    instead,
    rate,
    save,
  };
}
