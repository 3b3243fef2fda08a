import {
  frameworkOfFile,
  LARGEST_LABELS_BYTES,
  LARGEST_MODEL_BYTES,
  labelsIn,
  labelsProblem,
  MODEL_HEAD_BYTES,
  MODEL_TYPES,
  modelFileProblem,
  packageNameProblem,
  packageVersionProblem,
  type ModelType,
} from '../../../proto/config/model-meta.ts';

/** A file that somebody chose, as a browser gives it. */
export type ChosenFile = Pick<File, 'name' | 'size' | 'slice' | 'text'>;

/** Either what a file is good for, or a sentence about why it is not. */
export type Checked<T> = { readonly value: T } | { readonly problem: string };

/** The type that a package names, as the catalogue does: `unknown` for a word that is none. */
export function modelTypeOf(wire: string): ModelType {
  return MODEL_TYPES.find((type) => type === wire) ?? 'unknown';
}

/** Whether a file is a model that is taken, by its name and its first bytes. */
export async function checkModelFile(file: ChosenFile): Promise<Checked<{ readonly framework: string }>> {
  const framework = frameworkOfFile(file.name);
  if (framework === undefined) return { problem: `${file.name} is no .onnx and no .tflite file.` };
  if (file.size > LARGEST_MODEL_BYTES) return { problem: `${file.name} is larger than 1 GiB, which is the most.` };
  const head = new Uint8Array(await file.slice(0, MODEL_HEAD_BYTES).arrayBuffer());
  const problem = modelFileProblem(framework, head);
  return problem === undefined ? { value: { framework } } : { problem };
}

/** The labels of a file with one on each line. */
export async function readLabels(file: ChosenFile): Promise<Checked<readonly string[]>> {
  if (file.size > LARGEST_LABELS_BYTES) return { problem: `${file.name} is too large for a list of labels.` };
  const labels = labelsIn(await file.text());
  if (labels.length === 0) return { problem: `${file.name} has no label. Write one on each line.` };
  const problem = labelsProblem(labels);
  return problem === undefined ? { value: labels } : { problem };
}

/** What is wrong with a name; '' where it can be one. */
export function nameProblem(name: string): string {
  return packageNameProblem(name) ?? '';
}

/** What an organization has in versions: a model, or a training script. */
export interface Versioned {
  readonly organizationId: string;
  readonly name: string;
  readonly versions: readonly { readonly version: string }[];
}

/** What is wrong with a version of one that is, or will be, among `known`; '' where it can be uploaded. */
export function versionProblem(
  version: string,
  { organizationId, name }: Pick<Versioned, 'organizationId' | 'name'>,
  known: readonly Versioned[],
): string {
  const problem = packageVersionProblem(version);
  if (problem !== undefined) return problem;
  const found = known.find((one) => one.organizationId === organizationId && one.name === name);
  const isThere = found?.versions.some((one) => one.version === version) === true;
  return isThere ? `${name} ${version} is there already. Choose another version.` : '';
}

/** `my model.v2.onnx` as a name: `my_model_v2`. */
export function nameOfFile(fileName: string): string {
  return fileName
    .replace(/\.[^.]*$/, '')
    .replace(/[^\w-]+/g, '_')
    .replace(/^[_-]+/, '')
    .slice(0, 100);
}
