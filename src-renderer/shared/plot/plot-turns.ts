/** So many plots are drawn in one frame: without a graphics card a plot of four busy lines takes some 5 of its 16 ms. */
const perFrame = 2;

/** Plots that would draw, the longest waiting first. */
const waiting = new Set<object>();
let frame = Number.NaN;
let left = 0;

/**
 * Whether a plot that has something new to draw may do so in this frame. One that may not asks again in the next, and
 * comes before those that have been drawn since.
 * @param frameAt time of the frame, as `requestAnimationFrame` gives it to all
 */
export function takeTurn(plot: object, frameAt: number): boolean {
  if (frameAt !== frame) {
    frame = frameAt;
    left = perFrame;
  }
  waiting.add(plot);
  if ([...waiting].indexOf(plot) >= left) return false;
  waiting.delete(plot);
  left -= 1;
  return true;
}

/** A plot that draws no more keeps nobody waiting. */
export function leaveTurns(plot: object): void {
  waiting.delete(plot);
}
