import {
  compareVersions,
  isInChannel,
  isPrerelease,
  isVersion,
  parseVersionChoice,
  type VersionAnswer,
} from './module-versions.ts';

/** The description that a package of a model has at its top. */
export const MODEL_META_FILE = 'model.json';
/** Names of a model's labels, one per line, in the order of its outputs. */
export const MODEL_LABELS_FILE = 'labels.txt';

/** What a model is made for. */
export const MODEL_TYPES = [
  'single_label_classification',
  'multi_label_classification',
  'object_detection',
  'unknown',
] as const;
export type ModelType = (typeof MODEL_TYPES)[number];

/** The file format of a model. A model that names none has the first. */
export const MODEL_FRAMEWORKS = ['onnx', 'tflite'] as const;
export type ModelFramework = (typeof MODEL_FRAMEWORKS)[number];

/** What `model.json` says. */
export interface ModelMeta {
  readonly name: string;
  readonly version: string;
  readonly model_type: ModelType;
  readonly model_framework: ModelFramework;
  /** Beside `model.json`. */
  readonly model_file: string;
  /** '' for a model without labels; else `labels.txt`. */
  readonly labels_file: string;
  readonly labels: readonly string[];
  /** RFC 3339 date, in UTC: `2026-06-01`. */
  readonly uploaded_on: string;
}

/** Of model files and packages, in bytes: what a registry takes. */
export const LARGEST_MODEL_BYTES = 1024 ** 3;
export const LARGEST_LABELS_BYTES = 256 * 1024;
const MOST_LABELS = 10_000;
const LONGEST_LABEL = 200;

const NAME = /^[a-zA-Z0-9][\w-]{0,99}$/;
const VERSION = /^[a-zA-Z0-9][\w.-]{0,99}$/;

/** Why a text is no name of a package; undefined where it is one. */
export function packageNameProblem(name: string): string | undefined {
  if (NAME.test(name)) return undefined;
  return `The name "${name.slice(0, 120)}" is not allowed: it has 1 to 100 letters, digits, "_" and "-", and begins with a letter or digit.`;
}

/**
 * Why a text is no version of a package that is no module; undefined where it is one. Most are by semver; trainings number
 * theirs by time, `2026-06-01T10-00-00`.
 */
export function packageVersionProblem(version: string): string | undefined {
  const said = `The version "${version.slice(0, 120)}" is not allowed: `;
  const choice = parseVersionChoice(version);
  if (choice !== undefined && choice.kind !== 'exact')
    return `${said}it is the name of a channel. Write one like 1.2.0.`;
  if (VERSION.test(version) && !version.includes('..')) return undefined;
  return `${said}it has 1 to 100 letters, digits, ".", "_" and "-", and begins with a letter or digit. Write one like 1.2.0.`;
}

/** A version of a package, and when it was uploaded, wall-clock milliseconds. */
export interface UploadedVersion {
  readonly version: string;
  readonly uploadedAt: number;
}

/** Whether `wanted` may ever mean this version. */
export function takesVersion(wanted: string, version: string): boolean {
  const choice = parseVersionChoice(wanted);
  if (choice === undefined || choice.kind === 'exact') return version === wanted;
  if (choice.kind === 'latest') return !isVersion(version) || !isPrerelease(version);
  return choice.kind === 'latest-with-prerelease' || isInChannel(choice, version);
}

/**
 * Chooses a version of a package that is no module. `latest` is the one that was uploaded last, because versions need no
 * order; `1.2.*` and `1.*` are the greatest by semver.
 * @param id for messages
 */
export function choosePackageVersion(id: string, wanted: string, uploaded: readonly UploadedVersion[]): VersionAnswer {
  const none = (problem: string): VersionAnswer => ({ version: '', platform: '', reason: '', problem });
  const newestFirst = [...uploaded].sort((a, b) => b.uploadedAt - a.uploadedAt);
  const [newest] = newestFirst;
  if (newest === undefined) return none(`There is no package ${id}: upload one, or check "package".`);
  const candidates = newestFirst.filter(({ version }) => takesVersion(wanted, version));
  const isByNumber = wanted.endsWith('.*');
  const chosen = candidates.reduce<UploadedVersion | undefined>(
    (best, one) => (best === undefined || (isByNumber && compareVersions(one.version, best.version) > 0) ? one : best),
    undefined,
  );
  if (chosen === undefined) {
    return none(`${id} has no version ${wanted}; the one that was uploaded last is ${newest.version}.`);
  }
  const reason = chosen.version === wanted ? `exactly ${wanted}` : `newest of ${wanted}`;
  return { version: chosen.version, platform: 'any', reason, problem: '' };
}

/** Labels of a file with one on each line; empty lines at its end are ignored. */
export function labelsIn(text: string): readonly string[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.trim());
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Why a list of labels cannot be one; undefined where it can. */
export function labelsProblem(labels: readonly string[]): string | undefined {
  if (labels.length > MOST_LABELS) return `There are ${labels.length} labels; a model has at most ${MOST_LABELS}.`;
  const empty = labels.indexOf('');
  if (empty >= 0) return `Label ${empty + 1} is empty. Write one label on each line.`;
  const bad = labels.findIndex((label) => label.length > LONGEST_LABEL || /\p{Cc}/u.test(label));
  if (bad < 0) return undefined;
  return `Label ${bad + 1} is no line of text of at most ${LONGEST_LABEL} characters: "${(labels[bad] ?? '').slice(0, 40)}...".`;
}

/** The framework that the name of a model file says; undefined for another kind of file. */
export function frameworkOfFile(fileName: string): ModelFramework | undefined {
  return MODEL_FRAMEWORKS.find((framework) => fileName.toLowerCase().endsWith(`.${framework}`));
}

/** Bytes of the beginning of a model file that {@link modelFileProblem} looks at. */
export const MODEL_HEAD_BYTES = 16;

/**
 * Why a file is no model of this framework, by its first bytes; undefined where it may be one. TFLite files are FlatBuffers
 * with the identifier `TFL3`; an ONNX file is a ModelProto, whose first field is its version or the name of its producer.
 */
export function modelFileProblem(framework: ModelFramework, head: Uint8Array): string | undefined {
  if (head.length < 8) return 'The model file is empty, or too short to be a model.';
  const isTflite = String.fromCharCode(...head.subarray(4, 8)) === 'TFL3';
  if (framework === 'tflite') {
    return isTflite
      ? undefined
      : 'The file is no TFLite model: it has no "TFL3" at its beginning. Choose a .tflite file.';
  }
  if (isTflite) return 'The file is a TFLite model, not ONNX. Choose the framework tflite, or an .onnx file.';
  // Tags of ModelProto: ir_version (1, varint), producer_name (2), ... opset_import (8), each of small numbers.
  const tag = head[0] ?? 0;
  const isField = tag === 0x08 || [0x12, 0x1a, 0x22, 0x32, 0x3a, 0x42].includes(tag);
  return isField ? undefined : 'The file is no ONNX model: it does not begin as one. Choose an .onnx file.';
}

/**
 * Reads `model.json`; undefined for a text that is none.
 */
export function readModelMeta(text: string): ModelMeta | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // The caller reports it.
  }
  const meta = (value ?? {}) as Readonly<Record<string, unknown>>;
  const texts = ['name', 'version', 'model_file', 'labels_file', 'uploaded_on'];
  const areTexts = texts.every((key) => typeof meta[key] === 'string');
  const { labels } = meta;
  const areLabels = Array.isArray(labels) && labels.every((label) => typeof label === 'string');
  const isKnown =
    (MODEL_TYPES as readonly unknown[]).includes(meta['model_type']) &&
    (MODEL_FRAMEWORKS as readonly unknown[]).includes(meta['model_framework']);
  return areTexts && areLabels && isKnown ? (meta as unknown as ModelMeta) : undefined;
}
