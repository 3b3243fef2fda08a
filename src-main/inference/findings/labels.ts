import { labelsIn } from '../../../proto/config/model-meta.ts';
import { readBoundedFile } from '../../base/files/bounded-file.ts';
import type { ModelMetadata } from '../tensor.ts';
import type { Logger } from '../../base/logger.ts';
import { toArmatureError } from '../../base/errors.ts';

const MAX_LABEL_BYTES = 1 << 20;

/** Labels of a file: one a line, or all of them in one line with commas or blanks between them. */
export function parseLabels(text: string): readonly string[] {
  const lines = labelsIn(text).filter((line) => line !== '');
  const [only = ''] = lines;
  if (lines.length !== 1) return lines;
  const separator = only.includes(',') ? ',' : /\s+/;
  return only
    .split(separator)
    .map((label) => label.trim())
    .filter((label) => label !== '');
}

/** @throws {ArmatureError} `file.unreadable`, `file.too_large` */
export async function readLabels(path: string): Promise<readonly string[]> {
  return parseLabels((await readBoundedFile(path, MAX_LABEL_BYTES)).toString('utf8'));
}

/**
 * The labels of a model: those that any of its outputs names, as a list or as a file on this computer. None if the file
 * cannot be read, which is logged: a module may name a file on another computer.
 */
export async function labelsOfModel({ outputs }: ModelMetadata, logger: Logger): Promise<readonly string[]> {
  for (const { extra, associatedFiles } of outputs) {
    const { labels } = extra;
    if (Array.isArray(labels) && labels.every((label) => typeof label === 'string')) return labels;
    const file =
      typeof labels === 'string' ? labels : associatedFiles.find(({ labelsOf }) => labelsOf !== 'unspecified')?.name;
    if (file === undefined || file === '') continue;
    try {
      return await readLabels(file);
    } catch (thrown) {
      logger.warn(`The labels of the model are not known: ${toArmatureError(thrown).message}`);
    }
  }
  return [];
}

/** The label of an output; its number if there is none. */
export function labelOf(labels: readonly string[], index: number): string {
  return labels[index] ?? String(index);
}
