import type { Box } from '../../src-main/inference/findings/finding.ts';
import { overlapOf } from '../../src-main/inference/findings/testing/overlap.ts';

/** A box with its label, in shares of the picture's width and height. */
export interface LabelledBox extends Box {
  readonly label: string;
}

/** A box that overlaps with a thing by more than this counts as the box of that thing. */
const MIN_OVERLAP = 0.5;

/** How well detected boxes agree with the contents of the pictures. */
export class Agreement {
  /** Number of things in the pictures so far. */
  things = 0;
  #overlaps = 0;
  #right = 0;

  /** Mean over all things of the overlap with their detected box; 0 where none was found. */
  get meanOverlap(): number {
    return this.#overlaps / this.things;
  }

  /** Share of things whose box has the right label. */
  get rightLabels(): number {
    return this.#right / this.things;
  }

  /** Adds the detected and the true boxes of one picture. */
  add(found: readonly LabelledBox[], truth: readonly LabelledBox[]): void {
    for (const thing of truth) {
      const rated = found.map((one) => ({ label: one.label, overlap: overlapOf(one, thing) }));
      const best = rated.toSorted((one, other) => other.overlap - one.overlap)[0];
      this.things++;
      this.#overlaps += best?.overlap ?? 0;
      if (best !== undefined && best.overlap > MIN_OVERLAP && best.label === thing.label) this.#right++;
    }
  }
}
