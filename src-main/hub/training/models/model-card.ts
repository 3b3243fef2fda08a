/** How good a model is, and what it was made from, as far as its card says. Bounded: a card is written by any script. */
export interface ModelResults {
  readonly labels: readonly string[];
  /** By name, from 0 to 1. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly confusion: readonly ConfusionMatrix[];
  /** The worst first. */
  readonly worstPictures: readonly WorstPicture[];
  /** 0 where it is not said; so are the next two. */
  readonly bestEpoch: number;
  readonly trainingPictures: number;
  readonly validationPictures: number;
  readonly seed: number | undefined;
  /** '' where it is not said. */
  readonly framework: string;
}

/** How often what is true (rows) was taken for what (columns). */
export interface ConfusionMatrix {
  /** Which label it is about: without it, and with it; '' where it is about all. */
  readonly label: string;
  /** Of rows and columns; '' is background. */
  readonly names: readonly string[];
  readonly rows: readonly (readonly number[])[];
}

/** A picture that the model is bad at. */
export interface WorstPicture {
  /** '' where it is not said. */
  readonly binaryDataId: string;
  readonly path: string;
  readonly loss: number;
  readonly isValidation: boolean;
}

const MOST_LABELS = 500;
const MOST_METRICS = 50;
const MOST_PICTURES = 100;
/** Numbers of all matrices. */
const MOST_CELLS = 40_000;
const LONGEST_TEXT = 300;

/** Reads `model.json`, as the hub's own scripts write it. What is missing, or makes no sense, is left out. */
export function readResults(card: Readonly<Record<string, unknown>>): ModelResults {
  const labels = listOf(card['labels'], textOf).slice(0, MOST_LABELS);
  const pictures = recordOf(card['pictures']);
  const seed = card['seed'];
  return {
    labels,
    metrics: metricsOf(card['metrics']),
    confusion: matricesOf(card['confusion_matrix'], labels),
    worstPictures: listOf(card['worst_examples'], pictureOf).slice(0, MOST_PICTURES),
    bestEpoch: countOf(card['best_epoch']) ?? 0,
    trainingPictures: countOf(pictures['training']) ?? 0,
    validationPictures: countOf(pictures['validation']) ?? 0,
    seed: typeof seed === 'number' && Number.isSafeInteger(seed) ? seed : undefined,
    framework: textOf(card['framework']) ?? '',
  };
}

function metricsOf(value: unknown): Readonly<Record<string, number>> {
  const numbers = Object.entries(recordOf(value)).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && Number.isFinite(entry[1]),
  );
  return Object.fromEntries(
    numbers.slice(0, MOST_METRICS).map(([name, number]) => [name.slice(0, LONGEST_TEXT), number]),
  );
}

/** One of the labels, one of them and background, or one of each label of two by two. */
function matricesOf(value: unknown, labels: readonly string[]): readonly ConfusionMatrix[] {
  if (!Array.isArray(value) || value.length === 0) return [];
  const whole = rowsOf(value);
  if (whole !== undefined) {
    const background = whole.length - labels.length;
    if (background !== 0 && background !== 1) return [];
    return [{ label: '', names: background === 1 ? [...labels, ''] : labels, rows: whole }];
  }
  if (value.length !== labels.length) return [];
  return labels.flatMap((label, index) => {
    const rows = rowsOf(value[index]);
    return rows?.length === 2 ? [{ label, names: ['', label], rows }] : [];
  });
}

/** As many rows as columns; undefined for anything else. */
function rowsOf(value: unknown): readonly (readonly number[])[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length ** 2 > MOST_CELLS) return undefined;
  const rows = value.map((row) => listOf(row, countOf));
  return rows.every((row, index) => row.length === rows.length && (value[index] as unknown[]).length === rows.length)
    ? rows
    : undefined;
}

function pictureOf(value: unknown): WorstPicture | undefined {
  const { path, loss, binary_data_id: id, is_validation: isValidation } = recordOf(value);
  const [name, binaryDataId = ''] = [textOf(path), textOf(id)];
  if (name === undefined || typeof loss !== 'number' || !Number.isFinite(loss)) return undefined;
  return { binaryDataId, path: name, loss, isValidation: isValidation === true };
}

function listOf<T>(value: unknown, read: (item: unknown) => T | undefined): readonly T[] {
  if (!Array.isArray(value)) return [];
  return value.map(read).filter((item) => item !== undefined);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, LONGEST_TEXT) : undefined;
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32 ? value : undefined;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
