import { plotActionOf, type PlotAction } from './plot-keys.ts';
import type { PlotReading } from './use-plot-reading.ts';
import type { PlotViews } from './use-plot-view.ts';

/**
 * Makes the handler of the keys of a plot that has the focus.
 * @param onDone called with each action that a key has done
 */
export function usePlotKeys(
  views: PlotViews,
  reading: PlotReading,
  onDone: (action: PlotAction) => void,
): (event: KeyboardEvent) => void {
  function run(action: PlotAction): void {
    const view = views.shown();
    if (view === undefined) return;
    const isLive = views.held.value === undefined;
    switch (action.kind) {
      case 'step':
        return reading.step(action.by);
      case 'end':
        return reading.stepToEnd(action.end);
      case 'pan':
        return views.pan(action.share * view.windowMs);
      case 'zoom':
        return views.zoom(action.factor, reading.at.value ?? (isLive ? view.to : view.to - view.windowMs / 2));
      case 'whole':
        return views.showWhole();
      case 'pause':
        return isLive ? views.hold() : views.goLive();
      case 'cursor':
        return void reading.put(action.name);
      case 'clear':
        return reading.clear();
    }
  }

  return (event) => {
    const action = plotActionOf(event);
    if (action === undefined) return;
    event.preventDefault();
    run(action);
    onDone(action);
  };
}
