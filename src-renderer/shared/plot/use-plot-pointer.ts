import { ref, type Ref } from 'vue';
import type { PlotView } from './plot-view.ts';
import type { PlotReading } from './use-plot-reading.ts';
import type { PlotViews } from './use-plot-view.ts';
import type { TimeWindow } from './time-window.ts';

/** A shorter drag is a click. */
const MIN_DRAG_PX = 4;
/** How much a view shortens per px of the wheel: a notch is about 100 px. */
const wheelFactor = 1.002;

/** The handlers of a plot's pointer events. */
export interface PlotPointer {
  /** The time that is being dragged over. */
  readonly selection: Readonly<Ref<TimeWindow | undefined>>;
  readonly onDown: (event: PointerEvent) => void;
  readonly onMove: (event: PointerEvent) => void;
  readonly onUp: () => void;
  readonly onCancel: () => void;
  readonly onLeave: () => void;
  readonly onWheel: (event: WheelEvent) => void;
}

/** A drag, from where the button was pressed. */
interface Drag {
  readonly x: number;
  /** Time at the pressed place, ms. */
  readonly at: number;
  readonly isPan: boolean;
  readonly wasLive: boolean;
  hasMoved: boolean;
}

/**
 * Pointing reads, a click puts a cursor, dragging zooms to a time, dragging with Shift moves the view, and the wheel with
 * Ctrl zooms about the pointer; without Ctrl it scrolls the page.
 * @param timeAt the drawn time at a place on the screen; undefined beside the lines
 * @param drawn the view that is drawn
 */
export function usePlotPointer(
  timeAt: (clientX: number) => number | undefined,
  drawn: () => PlotView | undefined,
  views: PlotViews,
  reading: PlotReading,
): PlotPointer {
  const selection = ref<TimeWindow>();
  let drag: Drag | undefined;

  function onMove(event: PointerEvent): void {
    const at = timeAt(event.clientX);
    if (drag === undefined) {
      reading.point(at);
      return;
    }
    if (!drag.hasMoved) {
      if (Math.abs(event.clientX - drag.x) < MIN_DRAG_PX) return;
      drag.hasMoved = true;
      reading.point(undefined);
    }
    const view = views.shown();
    if (view === undefined) return;
    if (drag.isPan) {
      if (at !== undefined) views.pan(drag.at - at);
      return;
    }
    // Beside the lines the selection ends at their edge.
    const edge = event.clientX < drag.x ? view.to - view.windowMs : view.to;
    const other = at ?? edge;
    selection.value = { from: Math.min(drag.at, other), to: Math.max(drag.at, other) };
  }

  function end(): void {
    drag = undefined;
    selection.value = undefined;
  }

  return {
    selection,
    onMove,
    onDown: (event) => {
      const at = timeAt(event.clientX);
      if (event.button !== 0 || at === undefined) return;
      drag = { x: event.clientX, at, isPan: event.shiftKey, wasLive: views.held.value === undefined, hasMoved: false };
      // The picture must not move under what is pressed or selected.
      views.hold(drawn());
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
    },
    onUp: () => {
      const { value: selected } = selection;
      const pressed = drag;
      end();
      if (pressed === undefined) return;
      if (!pressed.hasMoved) {
        reading.putNext(pressed.at);
        if (pressed.wasLive) views.goLive();
      }
      // What is read after a drag is known once the new view is drawn: at the next move.
      else if (selected !== undefined) views.select(selected.from, selected.to);
    },
    onCancel: () => {
      if (drag?.wasLive === true) views.goLive();
      end();
      reading.point(undefined);
    },
    onLeave: () => {
      if (drag === undefined) reading.point(undefined);
    },
    onWheel: (event) => {
      const at = timeAt(event.clientX);
      if (!event.ctrlKey || at === undefined) return;
      event.preventDefault();
      views.zoom(wheelFactor ** event.deltaY, at);
    },
  };
}
