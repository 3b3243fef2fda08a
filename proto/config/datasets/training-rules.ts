/** What training requires of a dataset. Hub and window use the same numbers. */

/** What a model is to predict for a picture. */
export type TrainingTask = 'singleLabel' | 'multiLabel' | 'detection';

export const trainingTasks: readonly TrainingTask[] = ['singleLabel', 'multiLabel', 'detection'];

/** Pictures that one label is on and, of a label of boxes, its boxes in all pictures. */
export interface LabelCount {
  readonly label: string;
  readonly pictures: number;
  readonly boxes: number;
}

/** What a dataset has, counted. Tags and classes of whole pictures are one kind of label, boxes the other. */
export interface DatasetCounts {
  readonly pictures: number;
  /** Pictures with a tag or class. */
  readonly tagged: number;
  /** Pictures with more than one of them. */
  readonly severalTags: number;
  /** Pictures with a box. */
  readonly boxed: number;
  /** Pictures with neither. */
  readonly unlabelled: number;
  readonly tags: readonly LabelCount[];
  readonly boxes: readonly LabelCount[];
}

/** In the public contract, the label of a picture that has none. */
export const UNKNOWN_LABEL = 'VIAM_UNKNOWN';

/** Of 100 pictures. */
export const LABELLED_PERCENT = 80;
/** Pictures of each label or, for detection, boxes. */
export const EXAMPLES_PER_LABEL = 10;
export const DETECTION_PICTURES = 15;
/** Least number of labels that a model learns: a single-label model needs two to choose from. */
export const LEAST_LABELS: Readonly<Record<TrainingTask, number>> = { singleLabel: 2, multiLabel: 1, detection: 1 };

/** One rule, and what it found. */
export interface TrainingCheck {
  readonly rule: 'pictures' | 'labelled' | 'labels' | 'rareLabel';
  /** Of which label; '' for rules of the whole. */
  readonly label: string;
  readonly found: number;
  readonly needed: number;
  /** What is still to be done; 0 where the rule holds. */
  readonly missing: number;
}

/** Labels that a task learns, with how often each is there. */
export function labelsFor(task: TrainingTask, counts: DatasetCounts): readonly LabelCount[] {
  return task === 'detection' ? counts.boxes : counts.tags;
}

/** Pictures, or boxes for detection, that teach a label. */
export function examplesOf(task: TrainingTask, { pictures, boxes }: LabelCount): number {
  return task === 'detection' ? boxes : pictures;
}

/** What the labels of a dataset are likely to be for. */
export function likelyTask({ tagged, boxed }: DatasetCounts): TrainingTask {
  return boxed > tagged ? 'detection' : 'singleLabel';
}

/** Pictures that have what a task needs. Pictures with several labels do not count for `singleLabel`. */
export function labelledFor(task: TrainingTask, { tagged, severalTags, boxed }: DatasetCounts): number {
  return { detection: boxed, singleLabel: tagged - severalTags, multiLabel: tagged }[task];
}

/**
 * Every rule of training with what it found, those of the whole first, then one for each label.
 * @param chosen labels that are to be learned; all of the dataset where it is left out. `counts` are of all its labels still,
 *   but for `severalTags`, which is of these
 */
export function trainingChecks(
  task: TrainingTask,
  counts: DatasetCounts,
  chosen?: readonly string[],
): readonly TrainingCheck[] {
  const { pictures } = counts;
  const all = labelsFor(task, counts);
  const labels =
    chosen?.map((label) => all.find((each) => each.label === label) ?? { label, pictures: 0, boxes: 0 }) ?? all;
  return [
    check('pictures', '', pictures, task === 'detection' ? DETECTION_PICTURES : 1),
    check('labelled', '', labelledFor(task, counts), Math.ceil((pictures * LABELLED_PERCENT) / 100)),
    check('labels', '', labels.length, LEAST_LABELS[task]),
    ...labels.map((each) => check('rareLabel', each.label, examplesOf(task, each), EXAMPLES_PER_LABEL)),
  ];
}

/** Whether a dataset can be trained on. */
export function isReadyToTrain(task: TrainingTask, counts: DatasetCounts): boolean {
  return trainingChecks(task, counts).every(({ missing }) => missing === 0);
}

function check(rule: TrainingCheck['rule'], label: string, found: number, needed: number): TrainingCheck {
  return { rule, label, found, needed, missing: Math.max(0, needed - found) };
}
