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

/** A file that a person chose, as the browser gives it. */
export type ChosenFile = Pick<File, 'name' | 'size' | 'slice' | 'text'>;

/** The result of checking a file, or a sentence that says why it cannot be used. */
export type Checked<T> = { readonly value: T } | { readonly problem: string };

/** The model type that a package names; `unknown` for a word that is not a type. */
export function modelTypeOf(wire: string): ModelType {
  return MODEL_TYPES.find((type) => type === wire) ?? 'unknown';
}

/** Checks by name and first bytes whether a file is a model that the hub accepts. */
export async function checkModelFile(file: ChosenFile): Promise<Checked<{ readonly framework: string }>> {
  const framework = frameworkOfFile(file.name);
  if (framework === undefined) return { problem: `${file.name} is no .onnx and no .tflite file.` };
  if (file.size > LARGEST_MODEL_BYTES) return { problem: `${file.name} is larger than 1 GiB, which is the most.` };
  const head = new Uint8Array(await file.slice(0, MODEL_HEAD_BYTES).arrayBuffer());
  const problem = modelFileProblem(framework, head);
  return problem === undefined ? { value: { framework } } : { problem };
}

/** Reads a file with one label on each line. */
export async function readLabels(file: ChosenFile): Promise<Checked<readonly string[]>> {
  if (file.size > LARGEST_LABELS_BYTES) return { problem: `${file.name} is too large for a list of labels.` };
  const labels = labelsIn(await file.text());
  if (labels.length === 0) return { problem: `${file.name} has no label. Write one on each line.` };
  const problem = labelsProblem(labels);
  return problem === undefined ? { value: labels } : { problem };
}

/** What is wrong with a name; '' if nothing. */
export function nameProblem(name: string): string {
  return packageNameProblem(name) ?? '';
}

/** Something of an organization that has versions: a model or a training script. */
export interface Versioned {
  readonly organizationId: string;
  readonly name: string;
  readonly versions: readonly { readonly version: string }[];
}

/** What is wrong with a version of a new or known one; '' if it can be uploaded. */
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

/** The name for a file: `my_model_v2` for `my model.v2.onnx`. */
export function nameOfFile(fileName: string): string {
  return fileName
    .replace(/\.[^.]*$/, '')
    .replace(/[^\w-]+/g, '_')
    .replace(/^[_-]+/, '')
    .slice(0, 100);
}
