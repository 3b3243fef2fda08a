import type { ModelFindings } from '../../../../shared/machine/data/inference-calls.ts';
import type { Edges } from './box-geometry.ts';
import type { PictureLabels } from './picture-labels.ts';

/** A label that a model suggests for a picture. It becomes a label only when the person accepts it. */
export interface Suggestion {
  /** Stable for the same picture and model. */
  readonly id: string;
  /** The class of the dataset with that name, else the name that the model gives. */
  readonly label: string;
  /** Whether the dataset has no such class yet. */
  readonly isNew: boolean;
  /** 0 to 1. */
  readonly confidence: number;
  /** Undefined for a tag of the whole picture. */
  readonly edges: Edges | undefined;
}

export interface SuggestionOptions {
  /** Suggestions with a lower confidence are left out, 0 to 1. */
  readonly minConfidence: number;
  readonly boxClasses: readonly string[];
  readonly tagClasses: readonly string[];
  /** The current labels of the picture. */
  readonly labels: PictureLabels;
  /** Ids of the rejected suggestions. */
  readonly rejected: ReadonlySet<string>;
}

/** More suggestions would hide the picture. */
const MAX_SUGGESTIONS = 100;
/** Models use 32-bit floats, in which 0.9 is slightly less. */
const CONFIDENCE_TOLERANCE = 1e-6;
/** A box that overlaps one of the same class at least this much counts as the same box. */
const MIN_SAME_OVERLAP = 0.5;

/** The suggestions from a model's findings, without labels that the picture has already and without rejected ones. */
export function suggestionsOf(
  { boxes, classes }: ModelFindings,
  { minConfidence, boxClasses, tagClasses, labels, rejected }: SuggestionOptions,
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
    .filter(({ id, confidence }) => confidence >= minConfidence - CONFIDENCE_TOLERANCE && !rejected.has(id))
    .filter((suggestion) => !isThere(suggestion, labels))
    .slice(0, MAX_SUGGESTIONS);
}

/** Finds the class of the dataset with that name, ignoring case; its spelling is used. */
function named(label: string, classes: readonly string[]): Pick<Suggestion, 'label' | 'isNew'> {
  const known =
    classes.find((each) => each === label) ?? classes.find((each) => each.toLowerCase() === label.toLowerCase());
  return { label: known ?? label, isNew: known === undefined };
}

function isThere({ label, edges }: Suggestion, { boxes, tags }: PictureLabels): boolean {
  if (edges === undefined) return tags.includes(label);
  return boxes.some((box) => box.label === label && overlap(box.edges, edges) >= MIN_SAME_OVERLAP);
}

/** Intersection over union of two boxes, 0 to 1. */
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
