import { computed, onBeforeUnmount, onMounted, watch, type Ref } from 'vue';
import type { DrawingTurns } from './drawing-turns.ts';
import { PlotDrawing, type DrawingOptions } from './plot-drawing.ts';
import type { PlotFeed } from './plot-feed.ts';
import type { Marks } from './plot-marks.ts';
import { useOnScreen } from './use-on-screen.ts';
import type { PlotViews } from './use-plot-view.ts';

const lateFrameMs = 40;
/** When frames are late, only one in this many is drawn. */
const lateFramesPerDraw = 4;

/** What is drawn, and where. */
export interface DrawnPlot {
  readonly host: Readonly<Ref<HTMLElement | null>>;
  readonly feed: () => Pick<PlotFeed, 'channel' | 'clock'>;
  readonly options: () => DrawingOptions;
  /** The time that is shown live, ms. */
  readonly windowMs: Readonly<Ref<number>>;
  readonly views: PlotViews;
  readonly marks: Readonly<Ref<Marks>>;
  /** Of plots that change together: what is held is drawn in turns, once it is visible. Without them at once. */
  readonly turns?: DrawingTurns;
}

/** The drawing of a plot. */
export interface PlotPainter {
  /** Undefined while there is no room for it, and before its first turn. */
  readonly drawing: () => PlotDrawing | undefined;
  readonly drawNow: () => void;
  /** Makes the drawing anew, with scales and colours of now. */
  readonly rebuild: () => void;
}

/**
 * Draws a live plot at most once per frame, only while it is visible, and only when the picture has moved; a held one
 * when what it shows changes.
 */
export function usePlotDrawing({ host, feed, options, windowMs, views, marks, turns }: DrawnPlot): PlotPainter {
  const isOnScreen = useOnScreen(() => host.value);
  const { held } = views;
  const bufferOf = (name: string) => feed().channel(name);
  let drawing: PlotDrawing | undefined;
  let frameRequest = 0;
  let drawnTo = Number.NaN;
  let frameAt = 0;
  let drawnAt = 0;

  function drawNow(): void {
    const view = views.shown();
    if (drawing === undefined || view === undefined) return;
    drawnTo = view.to;
    const isLive = held.value === undefined;
    drawing.draw({ to: view.to, windowMs: view.windowMs, isLive, bufferOf, marks: marks.value });
  }

  function onFrame(): void {
    frameRequest = requestAnimationFrame(onFrame);
    const pageAt = performance.now();
    const frameMs = pageAt - frameAt;
    frameAt = pageAt;
    const to = feed().clock.at(pageAt);
    if (drawing === undefined || to === undefined) return;
    const pixelMs = windowMs.value / drawing.widthPx;
    if (Math.floor(to / pixelMs) === Math.floor(drawnTo / pixelMs)) return;
    // Late frames mean a busy computer: then a responsive page is worth more than a smooth plot.
    if (frameMs > lateFrameMs && pageAt - drawnAt < lateFramesPerDraw * frameMs) return;
    drawnAt = pageAt;
    drawNow();
  }

  function rebuild(): void {
    drawing?.destroy();
    drawing = undefined;
    if (host.value === null || host.value.clientWidth === 0) return;
    drawing = new PlotDrawing(host.value, options());
    drawNow();
  }

  function resize(): void {
    if (drawing === undefined) return rebuild();
    if (host.value === null || host.value.clientWidth === 0) return;
    drawing.resize(host.value);
    drawNow();
  }

  /** What can change, each with what the one before it does. */
  const changes = [drawNow, resize, rebuild] as const;
  /** What is not drawn yet, an index of `changes`. */
  let due = -1;
  function onTurn(): void {
    const change = changes[due];
    due = -1;
    change?.();
  }
  function draw(change: (typeof changes)[number]): void {
    if (turns === undefined) return change();
    due = Math.max(due, changes.indexOf(change));
    if (isOnScreen.value) turns.ask(onTurn);
  }
  watch(isOnScreen, (isSeen) => {
    if (isSeen && due >= 0) turns?.ask(onTurn);
  });

  const isRunning = computed(() => isOnScreen.value && held.value === undefined);
  watch(isRunning, (runs) => {
    cancelAnimationFrame(frameRequest);
    if (runs) onFrame();
  });
  watch(held, () => draw(drawNow));
  // The lines stay as they are: while a recording is played, its mark moves with each frame.
  watch(marks, (next) => drawing?.showMarks(next));

  const resizes = new ResizeObserver(() => draw(resize));
  /** The colours are drawn into the canvas, so another theme needs a new picture. */
  const recolour = (): void => draw(rebuild);
  const themes = new MutationObserver(recolour);
  const forcedColours = matchMedia('(forced-colors: active)');
  onMounted(() => {
    if (host.value !== null) resizes.observe(host.value);
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    forcedColours.addEventListener('change', recolour);
  });
  onBeforeUnmount(() => {
    cancelAnimationFrame(frameRequest);
    turns?.drop(onTurn);
    resizes.disconnect();
    themes.disconnect();
    forcedColours.removeEventListener('change', recolour);
    drawing?.destroy();
  });
  return { drawing: () => drawing, drawNow, rebuild: () => draw(rebuild) };
}
