import { computed, ref, watch, type ComputedRef, type Ref } from 'vue';
import { DrawingTurns } from '../../../../shared/plot/drawing-turns.ts';
import type { PlotBuffer } from '../../../../shared/plot/plot-buffer.ts';
import { PlotClock } from '../../../../shared/plot/plot-clock.ts';
import type { PlotFeed } from '../../../../shared/plot/plot-feed.ts';
import { endTime, steppedTime } from '../../../../shared/plot/plot-reading.ts';
import { usePlotReading, type PlotReading } from '../../../../shared/plot/use-plot-reading.ts';
import { usePlotView, type PlotViews } from '../../../../shared/plot/use-plot-view.ts';
import type { Recording } from '../file/recording.ts';
import { usePlayback, type Playback } from './use-playback.ts';

/** Nobody reads numbers quicker while a recording is played. */
const SHOWN_EVERY_MS = 100;
const MIN_LENGTH_MS = 1_000;
/** Where the played time is in a view that has moved to it, as a share of its length. */
const LEAD = 0.1;

/** What all plots of a recording have in common: the shown time, what is read, and playing. */
export interface RecordingView {
  readonly source: Pick<PlotFeed, 'channel' | 'clock'>;
  readonly views: PlotViews;
  /** All plots show the same time, so all change with it. */
  readonly turns: DrawingTurns;
  readonly reading: PlotReading;
  readonly playback: Playback;
  /** The time that is read: where somebody points, or the played one. */
  readonly readAt: ComputedRef<number>;
  /** The same for numbers, which change ten times a second while it is played. */
  readonly shownAt: Readonly<Ref<number>>;
  /** Goes to a time and moves the view to it. */
  readonly jump: (at: number) => void;
}

/** @param drawn the channels that are drawn: keys step through their samples */
export function useRecordingView(recording: Recording, drawn: () => readonly string[]): RecordingView {
  const { from } = recording;
  const to = Math.max(recording.to, from + MIN_LENGTH_MS);
  const buffers = new Map(recording.channels.map(({ name, buffer }) => [name, buffer]));
  const bufferOf = (name: string): PlotBuffer => {
    const buffer = buffers.get(name);
    if (buffer === undefined) throw new Error(`The recording has no channel ${name}.`);
    return buffer;
  };
  const playback = usePlayback({ from, to });
  const windowMs = ref(to - from);
  const plotViews = usePlotView(
    windowMs,
    () => to,
    () => [...buffers.values()],
  );
  // Nothing here is live: the whole is what a live plot would go back to.
  const views: PlotViews = {
    ...plotViews,
    hold: () => undefined,
    goLive: playback.toggle,
    showWhole: () => plotViews.select(from, to),
  };
  views.showWhole();

  const lines = () => drawn().map((name) => ({ buffer: bufferOf(name), isStepped: false }));
  const pointed = usePlotReading(views.shown, lines);
  const readAt = computed(() => pointed.at.value ?? playback.at.value);
  /** Goes to a sample. */
  function goTo(find: (view: NonNullable<ReturnType<PlotViews['shown']>>) => number | undefined): void {
    const view = views.shown();
    const at = view === undefined ? undefined : find(view);
    pointed.point(undefined);
    if (at !== undefined) jump(at);
  }
  // Keys move the played time. What is pointed at stays where the pointer is.
  const reading: PlotReading = {
    ...pointed,
    step: (by) => goTo(() => steppedTime(lines(), readAt.value, by, { to, windowMs: to - from })),
    stepToEnd: (end) => goTo((view) => endTime(lines(), end, view)),
    put(cursor) {
      if (pointed.at.value === undefined) pointed.point(playback.at.value);
      const at = pointed.put(cursor);
      pointed.point(undefined);
      return at;
    },
  };

  const shownAt = ref(readAt.value);
  let shownSince = 0;
  watch(readAt, (next) => {
    const now = performance.now();
    if (playback.isPlaying.value && now - shownSince < SHOWN_EVERY_MS) return;
    shownSince = now;
    shownAt.value = next;
  });
  watch(playback.isPlaying, () => (shownAt.value = readAt.value));

  /** Moves the view so that it has a time. */
  function follow(at: number): void {
    const view = views.shown();
    if (view === undefined || (at >= view.to - view.windowMs && at <= view.to)) return;
    const start = at - LEAD * view.windowMs;
    views.select(start, start + view.windowMs);
  }
  function jump(at: number): void {
    playback.seek(at);
    follow(playback.at.value);
  }
  watch(playback.at, (at) => {
    if (playback.isPlaying.value) follow(at);
  });

  return {
    source: { channel: bufferOf, clock: new PlotClock() },
    views,
    turns: new DrawingTurns(),
    reading,
    playback,
    readAt,
    shownAt,
    jump,
  };
}
