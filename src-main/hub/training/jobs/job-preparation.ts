import {
  labelledFor,
  labelsFor,
  likelyTask,
  UNKNOWN_LABEL,
  type DatasetCounts,
  type TrainingCheck,
  type TrainingTask,
} from '../../../../proto/config/datasets/training-rules.ts';
import { packageNameProblem, packageVersionProblem } from '../../../../proto/config/model-meta.ts';
import { ModelType } from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import {
  TrainingProblemCode,
  type PrepareJobRequest,
  type PrepareJobResponse,
  type TrainingProblem,
} from '../../../../proto/gen/core/hub/v1/training.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import { unmetRules } from '../datasets/readiness.ts';
import type { TrainingDatasets } from '../datasets/training-datasets.ts';
import { modelTypeOf, taskOf } from '../model-types.ts';
import type { ModelStore } from '../models/model-store.ts';
import type { TrainingRunner } from '../runner/training-runner.ts';
import { labelProblem, labelsOf } from './job-request.ts';
import { modelNameFrom } from './model-name.ts';
import { nextVersion } from './next-version.ts';
import { versionTaken, type TrainingJobs } from './training-jobs.ts';

export interface JobPreparationOptions {
  readonly jobs: TrainingJobs;
  readonly datasets: TrainingDatasets;
  readonly models: ModelStore;
  readonly runner: TrainingRunner;
}

const rules: Readonly<Record<TrainingCheck['rule'], TrainingProblemCode>> = {
  pictures: TrainingProblemCode.PICTURES,
  labelled: TrainingProblemCode.LABELLED,
  labels: TrainingProblemCode.LABELS,
  rareLabel: TrainingProblemCode.RARE_LABEL,
};

/** Proposes a job and reports its problems before it is submitted, by the same rules that apply then. */
export class JobPreparation {
  readonly #options: JobPreparationOptions;

  constructor(options: JobPreparationOptions) {
    this.#options = options;
  }

  /** @throws {ArmatureError} `call.not_found`, `call.bad_argument` for an unknown model type */
  async prepare(request: PrepareJobRequest): Promise<PrepareJobResponse> {
    const { organizationId, datasetId } = request;
    const { datasets } = this.#options;
    const summary = await datasets.summary(organizationId, datasetId);
    const task = this.#task(request.modelType, summary.counts);
    const all = labelsFor(task, summary.counts).map(({ label }) => label);
    const labels = labelsOf(request.labels?.labels ?? all.filter((label) => label !== UNKNOWN_LABEL));
    const counts = await datasets.chosen(datasetId, summary.counts, labels);
    const proposedName = modelNameFrom(summary.name);
    const modelName = request.modelName ?? proposedName;
    const model = await this.#model(organizationId, modelName, request.modelVersion);
    const problems = [
      ...unmetRules(task, labels, counts).map(({ rule, label, message, found, needed }) =>
        problem(rules[rule], message, { label, found, needed }),
      ),
      ...labels.flatMap((label) => {
        const message = labelProblem(label);
        return message === undefined ? [] : [problem(TrainingProblemCode.BAD_LABEL, message, { label })];
      }),
      ...model.problems,
      ...(await this.#placeProblems(organizationId)),
    ];
    return {
      ...{ modelType: modelTypeOf(task), modelName, modelVersion: model.version, labels: [...labels] },
      ...{ proposedName, nextVersion: model.next, versionHolder: model.holder },
      counts: { ...summary.counts, tags: [...summary.counts.tags], boxes: [...summary.counts.boxes] },
      labelledPictures: labelledFor(task, counts),
      problems,
      canSubmit: problems.length === 0,
    };
  }

  #task(modelType: ModelType, counts: DatasetCounts): TrainingTask {
    if (modelType === ModelType.UNSPECIFIED) return likelyTask(counts);
    const task = taskOf(modelType);
    if (task !== undefined) return task;
    throw new ArmatureError(
      'call.bad_argument',
      `"model_type" is ${modelType}; allowed are 0 (the likely one) to 3 (object detection).`,
    );
  }

  /** Checks name and version of the model, and finds out who already has the version. */
  async #model(organizationId: string, name: string, wanted: string | undefined) {
    const { jobs, models } = this.#options;
    const problems: TrainingProblem[] = [];
    const nameProblem = packageNameProblem(name);
    if (nameProblem !== undefined) problems.push(problem(TrainingProblemCode.MODEL_NAME, nameProblem));
    const [ofModel, holders] = await Promise.all([
      models.versionsOf(organizationId, name),
      jobs.holders(organizationId, name),
    ]);
    const next = nextVersion([...ofModel, ...holders.map(({ model_version }) => model_version)]);
    const version = wanted ?? next;
    const versionProblem = packageVersionProblem(version);
    if (versionProblem !== undefined) problems.push(problem(TrainingProblemCode.MODEL_VERSION, versionProblem));
    const job = holders.find(({ model_version }) => model_version === version);
    const isThere = ofModel.includes(version);
    if (isThere) problems.push(problem(TrainingProblemCode.VERSION_TAKEN, modelTaken(name, version).message));
    else if (job !== undefined) problems.push(problem(TrainingProblemCode.VERSION_TAKEN, versionTaken(job).message));
    const holder = isThere
      ? ({ $case: 'packageId', value: models.idOf(organizationId, name) } as const)
      : job && ({ $case: 'jobId', value: job.id } as const);
    return { version, next, problems, holder: holder && { holder } };
  }

  /** Problems that concern any job: a full queue, or a runner that cannot train. */
  async #placeProblems(organizationId: string): Promise<TrainingProblem[]> {
    const { jobs, runner } = this.#options;
    const [full, trouble] = await Promise.all([
      jobs.queueFullError(organizationId),
      runner.check().then(
        () => undefined,
        (thrown: unknown) => toArmatureError(thrown),
      ),
    ]);
    return [
      ...(full === undefined ? [] : [problem(TrainingProblemCode.TOO_MANY_JOBS, full.message)]),
      ...(trouble === undefined ? [] : [problem(TrainingProblemCode.RUNNER, trouble.message)]),
    ];
  }
}

/** The error for a version that the model already has. */
export function modelTaken(name: string, version: string): ArmatureError {
  return new ArmatureError(
    'registry.version_exists',
    `The model "${name}" has a version "${version}" already: choose another version.`,
  );
}

function problem(
  code: TrainingProblemCode,
  message: string,
  { label = '', found = 0, needed = 0 }: Partial<Pick<TrainingProblem, 'label' | 'found' | 'needed'>> = {},
): TrainingProblem {
  return { code, message, label, found, needed };
}
