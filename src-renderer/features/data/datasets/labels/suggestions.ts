import type { ModelFindings } from '../../../../shared/machine/data/inference-calls.ts';
import type { Edges } from './box-geometry.ts';
import type { PictureLabels } from './picture-labels.ts';

/** What a model proposes to say of a picture. Nothing of it is a label before somebody takes it. */
export interface Suggestion {
  /** The same for the same picture and model. */
  readonly id: string;
  /** A class of the dataset where it has one of that name, else as the model calls it. */
  readonly label: string;
  /** The dataset has no such class yet. */
  readonly isNew: boolean;
  /** 0 to 1. */
  readonly confidence: number;
  /** Undefined for a tag of the whole picture. */
  readonly edges: Edges | undefined;
}

export interface SuggestionOptions {
  /** What the model is less sure of is left out, 0 to 1. */
  readonly leastConfidence: number;
  readonly boxClasses: readonly string[];
  readonly tagClasses: readonly string[];
  /** Of the picture, as they are. */
  readonly labels: PictureLabels;
  /** Ids of those that somebody turned down. */
  readonly rejected: ReadonlySet<string>;
}

/** More on one picture would hide it. */
const mostSuggestions = 100;
/** Models have floats of 32 bits: 0.9 is a little less there. */
const rounding = 1e-6;
/** A box that shares so much with one of its class is that box. */
const sameBox = 0.5;

/** What is proposed of what a model found, the surest first: nothing that the picture has already, or that was turned down. */
export function suggestionsOf(
  { boxes, classes }: ModelFindings,
  { leastConfidence, boxClasses, tagClasses, labels, rejected }: SuggestionOptions,
): readonly Suggestion[] {
  const ofBoxes = boxes.map((box, index): Suggestion => {
    const edges = {
      ...{ left: box.xMinNormalized, top: box.yMinNormalized },
      ...{ right: box.xMaxNormalized, bottom: box.yMaxNormalized },
    };
    return { id: `box ${index}`, ...named(box.label, boxClasses), confidence: box.confidence ?? 0, edges };
  });
  const ofTags = classes.map((found, index): Suggestion => {
    const { label, confidence = 0 } = found;
    return { id: `tag ${index}`, ...named(label, tagClasses), confidence, edges: undefined };
  });
  return [...ofBoxes, ...ofTags]
    .filter(({ id, confidence }) => confidence >= leastConfidence - rounding && !rejected.has(id))
    .filter((suggestion) => !isThere(suggestion, labels))
    .slice(0, mostSuggestions);
}

/** By name; in another case it is the same class, spelled as the dataset has it. */
function named(label: string, classes: readonly string[]): Pick<Suggestion, 'label' | 'isNew'> {
  const known =
    classes.find((each) => each === label) ?? classes.find((each) => each.toLowerCase() === label.toLowerCase());
  return { label: known ?? label, isNew: known === undefined };
}

function isThere({ label, edges }: Suggestion, { boxes, tags }: PictureLabels): boolean {
  if (edges === undefined) return tags.includes(label);
  return boxes.some((box) => box.label === label && overlap(box.edges, edges) >= sameBox);
}

/** What two boxes share of what they cover together, 0 to 1. */
export function overlap(one: Edges, other: Edges): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  if (width <= 0 || height <= 0) return 0;
  const shared = width * height;
  return shared / (area(one) + area(other) - shared);
}

function area({ left, top, right, bottom }: Edges): number {
  return (right - left) * (bottom - top);
}
