import type { Box } from '../../src-main/inference/findings/finding.ts';
import { overlapOf } from '../../src-main/inference/findings/testing/overlap.ts';

/** A box with what is in it, in shares of the picture's width and height. */
export interface LabelledBox extends Box {
  readonly label: string;
}

/** A box that overlaps with a thing by more than this is the box of that thing. */
const MIN_OVERLAP = 0.5;

/** How far boxes that were found agree with what is in the pictures. */
export class Agreement {
  /** Things that are in the pictures so far. */
  things = 0;
  #overlaps = 0;
  #right = 0;

  /** Mean over all things of the overlap with the box that was found for it; 0 where none was. */
  get meanOverlap(): number {
    return this.#overlaps / this.things;
  }

  /** Share of things whose box has the right label. */
  get rightLabels(): number {
    return this.#right / this.things;
  }

  /** What was found in one picture, and what is in it. */
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
