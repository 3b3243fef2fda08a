import { UNKNOWN_LABEL, type TrainingTask } from '../../../proto/config/datasets/training-rules.ts';
import type { SnapshotItem } from './snapshots.ts';

/** A class of a picture, in the public format of training scripts. */
export interface ClassAnnotation {
  readonly annotation_label: string;
  readonly confidence?: number;
}

/** A box, its edges as fractions of width and height. */
export interface BoxAnnotation extends ClassAnnotation {
  readonly id: string;
  readonly x_min_normalized: number;
  readonly x_max_normalized: number;
  readonly y_min_normalized: number;
  readonly y_max_normalized: number;
}

/** A line of a dataset file, in the public format of training scripts. */
export interface DatasetLine {
  readonly image_path: string;
  readonly classification_annotations: readonly ClassAnnotation[];
  readonly bounding_box_annotations: readonly BoxAnnotation[];
  readonly timestamp: string;
  readonly binary_data_id: string;
  readonly organization_id: string;
  readonly location_id: string;
  readonly robot_id: string;
  readonly part_id: string;
  readonly component_name: string;
}

/** What a model is to learn. Without a task, the script decides itself and gets all labels. */
export interface DatasetPurpose {
  readonly task?: TrainingTask | undefined;
  /** Labels to be learned; absent or empty means all. */
  readonly labels?: readonly string[] | undefined;
}

/**
 * The line of a picture. For a classifier, a picture without a label gets the label `VIAM_UNKNOWN`.
 * @param imagePath path of the picture, as it is written to the line
 * @returns undefined if the task allows one label per picture and this one has several
 */
export function datasetLine(
  item: SnapshotItem,
  imagePath: string,
  { task, labels = [] }: DatasetPurpose,
): DatasetLine | undefined {
  const isWanted = ({ label }: { readonly label: string }): boolean => labels.length === 0 || labels.includes(label);
  const wanted = item.labels.filter(isWanted);
  const classes = classesOf(wanted);
  if (task === 'singleLabel' && classes.length > 1) return undefined;
  const isClassifier = task === 'singleLabel' || task === 'multiLabel';
  return {
    image_path: imagePath,
    classification_annotations: isClassifier && classes.length === 0 ? [{ annotation_label: UNKNOWN_LABEL }] : classes,
    bounding_box_annotations: wanted.flatMap((row) => boxOf(row) ?? []),
    timestamp: new Date(item.received_at).toISOString(),
    binary_data_id: item.binary_id,
    organization_id: item.organization_id,
    location_id: item.location_id,
    robot_id: item.machine_id,
    part_id: item.part_id,
    component_name: item.component_name,
  };
}

/** Tags and classes, each label once: a picture may have the same label as tag and as class. */
function classesOf(labels: SnapshotItem['labels']): ClassAnnotation[] {
  const found = new Map<string, ClassAnnotation>();
  for (const { kind, label, confidence } of labels) {
    if (kind === 'box' || found.has(label)) continue;
    found.set(label, { annotation_label: label, ...(confidence === null ? {} : { confidence }) });
  }
  return [...found.values()];
}

function boxOf({ id, label, confidence, x_min, y_min, x_max, y_max }: SnapshotItem['labels'][number]) {
  if (x_min === null || y_min === null || x_max === null || y_max === null) return undefined;
  return {
    id,
    annotation_label: label,
    x_min_normalized: x_min,
    x_max_normalized: x_max,
    y_min_normalized: y_min,
    y_max_normalized: y_max,
    ...(confidence === null ? {} : { confidence }),
  } satisfies BoxAnnotation;
}
