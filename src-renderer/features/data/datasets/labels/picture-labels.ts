import type { BinaryMetadata } from '../../../../../proto/gen/core/app/data/v1/data.ts';
import type { Edges } from './box-geometry.ts';

/** A box of a picture. */
export interface LabelBox {
  /** A UUID, made here or by the hub. */
  readonly id: string;
  readonly label: string;
  readonly edges: Edges;
}

/** All labels of a picture. Tags include the classes of the whole picture. */
export interface PictureLabels {
  readonly boxes: readonly LabelBox[];
  /** Sorted, without duplicates. */
  readonly tags: readonly string[];
}

/** A change of labels: what is put, and what is removed. */
export interface LabelChange {
  readonly put: readonly LabelBox[];
  readonly remove: readonly string[];
  readonly addTags: readonly string[];
  readonly removeTags: readonly string[];
}

export const noLabels: PictureLabels = { boxes: [], tags: [] };

/** The labels of a picture on the hub. */
export function labelsOf({ annotations, captureMetadata }: BinaryMetadata): PictureLabels {
  const { bboxes = [], classifications = [] } = annotations ?? {};
  return {
    boxes: bboxes.map(({ id, label, xMinNormalized, yMinNormalized, xMaxNormalized, yMaxNormalized }) => ({
      id,
      label,
      edges: { left: xMinNormalized, top: yMinNormalized, right: xMaxNormalized, bottom: yMaxNormalized },
    })),
    tags: sorted([...(captureMetadata?.tags ?? []), ...classifications.map(({ label }) => label)]),
  };
}

/** The change that turns `before` into `after`. */
export function changeBetween(before: PictureLabels, after: PictureLabels): LabelChange {
  const known = new Map(before.boxes.map((box) => [box.id, box]));
  const kept = new Set(after.boxes.map(({ id }) => id));
  return {
    put: after.boxes.filter((box) => !isSameBox(known.get(box.id), box)),
    remove: before.boxes.flatMap(({ id }) => (kept.has(id) ? [] : [id])),
    addTags: after.tags.filter((tag) => !before.tags.includes(tag)),
    removeTags: before.tags.filter((tag) => !after.tags.includes(tag)),
  };
}

/** Applies a change to labels; labels that the change does not name stay. */
export function withChange({ boxes, tags }: PictureLabels, change: LabelChange): PictureLabels {
  const put = new Map(change.put.map((box) => [box.id, box]));
  const removed = new Set(change.remove);
  const known = new Set(boxes.map(({ id }) => id));
  return {
    boxes: [
      ...boxes.filter(({ id }) => !removed.has(id)).map((box) => put.get(box.id) ?? box),
      ...change.put.filter(({ id }) => !known.has(id)),
    ],
    tags: sorted([...tags.filter((tag) => !change.removeTags.includes(tag)), ...change.addTags]),
  };
}

export function isNothing({ put, remove, addTags, removeTags }: LabelChange): boolean {
  return put.length + remove.length + addTags.length + removeTags.length === 0;
}

/** Adds a tag, or removes it where it is present. */
export function toggledTag({ boxes, tags }: PictureLabels, tag: string): PictureLabels {
  return { boxes, tags: tags.includes(tag) ? tags.filter((each) => each !== tag) : sorted([...tags, tag]) };
}

/** Replaces the box with the same id, or adds the box. */
export function withBox({ boxes, tags }: PictureLabels, box: LabelBox): PictureLabels {
  const isKnown = boxes.some(({ id }) => id === box.id);
  return { tags, boxes: isKnown ? boxes.map((each) => (each.id === box.id ? box : each)) : [...boxes, box] };
}

export function withoutBox({ boxes, tags }: PictureLabels, id: string): PictureLabels {
  return { tags, boxes: boxes.filter((each) => each.id !== id) };
}

function isSameBox(one: LabelBox | undefined, other: LabelBox): boolean {
  if (one === undefined || one.label !== other.label) return false;
  return (['left', 'top', 'right', 'bottom'] as const).every((edge) => one.edges[edge] === other.edges[edge]);
}

function sorted(tags: readonly string[]): string[] {
  return [...new Set(tags)].sort();
}
