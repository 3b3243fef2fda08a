/** A longer frame had more to draw than the computer draws smoothly. */
const SMOOTH_FRAME_MS = 20;

/**
 * Divides the drawing of plots that change together among frames: one is drawn in the first frame, and one more in each
 * that follows, while the frames are smooth. What a drawing costs is known only when its frame is over, because a canvas
 * is painted at its end.
 */
export class DrawingTurns {
  readonly #waiting = new Set<() => void>();
  #request = 0;
  #perFrame = 0;
  #frameAt = Number.NEGATIVE_INFINITY;

  /** Draws in one of the next frames; once, however often it is asked for until then. */
  ask(draw: () => void): void {
    this.#waiting.add(draw);
    if (this.#request === 0) this.#request = requestAnimationFrame(this.#onFrame);
  }

  /** Draws it no more. */
  drop(draw: () => void): void {
    this.#waiting.delete(draw);
  }

  readonly #onFrame = (now: number): void => {
    const isSmooth = now - this.#frameAt <= SMOOTH_FRAME_MS;
    this.#frameAt = now;
    this.#perFrame = isSmooth ? Math.min(this.#perFrame + 1, this.#waiting.size) : 1;
    // A frame without drawing follows the last one, to know how long that was.
    this.#request = this.#waiting.size === 0 ? 0 : requestAnimationFrame(this.#onFrame);
    for (const draw of [...this.#waiting].slice(0, this.#perFrame)) {
      this.#waiting.delete(draw);
      draw();
    }
  };
}
