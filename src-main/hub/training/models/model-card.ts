/** Quality and origin of a model, as far as its card tells. Bounded, because any script may write a card. */
export interface ModelResults {
  readonly labels: readonly string[];
  /** By name, each from 0 to 1. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly confusion: readonly ConfusionMatrix[];
  /** Worst first. */
  readonly worstPictures: readonly WorstPicture[];
  /** 0 if unknown. */
  readonly bestEpoch: number;
  /** 0 if unknown. */
  readonly trainingPictures: number;
  /** 0 if unknown. */
  readonly validationPictures: number;
  readonly seed: number | undefined;
  /** '' if unknown. */
  readonly framework: string;
}

/** How often each true label (row) was predicted as each label (column). */
export interface ConfusionMatrix {
  /** The label of a matrix with two rows, without and with it; '' for a matrix of all labels. */
  readonly label: string;
  /** Names of rows and columns; '' stands for background. */
  readonly names: readonly string[];
  readonly rows: readonly (readonly number[])[];
}

/** A picture with a high loss. */
export interface WorstPicture {
  /** '' if unknown. */
  readonly binaryDataId: string;
  readonly path: string;
  readonly loss: number;
  readonly isValidation: boolean;
}

const MAX_LABELS = 500;
const MAX_METRICS = 50;
const MAX_PICTURES = 100;
/** Numbers in one matrix. */
const MAX_CELLS = 40_000;
const MAX_TEXT_LENGTH = 300;

/** Reads `model.json` in the format of the hub's own scripts. Missing and invalid values are left out. */
export function readResults(card: Readonly<Record<string, unknown>>): ModelResults {
  const labels = listOf(card['labels'], textOf).slice(0, MAX_LABELS);
  const pictures = recordOf(card['pictures']);
  const seed = card['seed'];
  return {
    labels,
    metrics: metricsOf(card['metrics']),
    confusion: matricesOf(card['confusion_matrix'], labels),
    worstPictures: listOf(card['worst_examples'], pictureOf).slice(0, MAX_PICTURES),
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
    numbers.slice(0, MAX_METRICS).map(([name, number]) => [name.slice(0, MAX_TEXT_LENGTH), number]),
  );
}

/** Reads one matrix of all labels, one of the labels and background, or one with two rows for each label. */
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

/** The rows of a square matrix; undefined for anything else. */
function rowsOf(value: unknown): readonly (readonly number[])[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length ** 2 > MAX_CELLS) return undefined;
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
  return typeof value === 'string' ? value.slice(0, MAX_TEXT_LENGTH) : undefined;
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32 ? value : undefined;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
