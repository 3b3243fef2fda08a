import {
  examplesOf,
  labelsFor,
  UNKNOWN_LABEL,
  type TrainingTask,
} from '../../../../proto/config/datasets/training-rules.ts';
import {
  TrainingProblemCode,
  type PrepareJobResponse,
  type TrainingProblem,
} from '../../../../proto/gen/core/hub/v1/training.ts';

/** Problems by the field at which they are shown. */
export interface PlacedProblems {
  readonly name: string;
  readonly version: string;
  /** By label, including labels that the dataset does not have. */
  readonly labels: ReadonlyMap<string, string>;
  /** Problems of the dataset as a whole, and of the runner. */
  readonly others: readonly string[];
}

/** A label to train on. */
export interface LabelChoice {
  readonly label: string;
  /** Number of pictures, or of boxes for detection. */
  readonly examples: number;
}

/** Sorts problems by the field at which they are shown. */
export function placedProblems(problems: readonly TrainingProblem[]): PlacedProblems {
  const first = (...codes: readonly TrainingProblemCode[]): string =>
    problems.find(({ code }) => codes.includes(code))?.message ?? '';
  const isOther = ({ code, label }: TrainingProblem): boolean => {
    switch (code) {
      case TrainingProblemCode.MODEL_NAME:
      case TrainingProblemCode.MODEL_VERSION:
      case TrainingProblemCode.VERSION_TAKEN:
        return false;
      default:
        return label === '';
    }
  };
  return {
    name: first(TrainingProblemCode.MODEL_NAME),
    version: first(TrainingProblemCode.MODEL_VERSION, TrainingProblemCode.VERSION_TAKEN),
    labels: new Map(problems.flatMap(({ label, message }) => (label === '' ? [] : [[label, message] as const]))),
    others: problems.filter(isOther).map(({ message }) => message),
  };
}

/** Labels of a dataset for a task, those with the most examples first, then chosen ones that it does not have. */
export function labelChoices(task: TrainingTask, { counts, labels }: PrepareJobResponse): readonly LabelChoice[] {
  const there = counts === undefined ? [] : labelsFor(task, counts);
  const known = new Set(there.map(({ label }) => label));
  return [
    ...there
      .filter(({ label }) => label !== UNKNOWN_LABEL)
      .map((each) => ({ label: each.label, examples: examplesOf(task, each) }))
      .sort((a, b) => b.examples - a.examples),
    ...labels.filter((label) => !known.has(label)).map((label) => ({ label, examples: 0 })),
  ];
}
