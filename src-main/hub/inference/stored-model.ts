import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { MODEL_LABELS_FILE, LARGEST_LABELS_BYTES } from '../../../proto/config/model-meta.ts';
import { ArmatureError } from '../../base/errors.ts';
import { readTar, tarLimits } from '../../base/tar/read-tar.ts';
import { parseLabels } from '../../inference/findings/labels.ts';
import type { Packages, StoredPackage } from '../registry/models/packages.ts';
import { badPackage } from '../registry/packages/archive-tree.ts';

/** Size of a model file that the hub runs itself. */
export const MAX_MODEL_BYTES = 256 * 1024 * 1024;

/** A model whose file was unpacked into a folder. */
export interface UnpackedModel {
  readonly path: string;
  readonly labels: readonly string[];
}

/** Name and version of a model, for messages. */
export function nameOf({ name, version }: StoredPackage): string {
  return `Model "${name}" ${version}`;
}

/**
 * Unpacks only the model file of a package, with its labels: other files that a model refers to are not available.
 * @param folder is created
 * @throws {ArmatureError} `call.failed_precondition` for a model without labels, `call.unimplemented` for one of
 *   another framework, `call.too_large`, `registry.bad_package`, `store.corrupt`, `store.unavailable`
 */
export async function unpackModel(packages: Packages, model: StoredPackage, folder: string): Promise<UnpackedModel> {
  const modelFile = modelFileOf(model);
  const target = path.join(folder, 'model.onnx');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let labels = labelsOf(model);
  let isFound = false;
  const take = async (bytes: AsyncIterable<Uint8Array>): Promise<void> => {
    const limits = { archiveBytes: model.bytes, limits: tarLimits, refuse: badPackage };
    for await (const entry of readTar(bytes, limits)) {
      const name = path.posix.normalize(entry.name);
      if (entry.kind !== 'file') continue;
      if (name === modelFile) {
        if (entry.bytes > MAX_MODEL_BYTES) throw tooLarge(model, entry.bytes);
        await pipeline(entry.chunks(), createWriteStream(target, { mode: 0o600 }));
        isFound = true;
      } else if (name === MODEL_LABELS_FILE && labels.length === 0 && entry.bytes <= LARGEST_LABELS_BYTES) {
        labels = parseLabels((await buffer(entry.chunks())).toString('utf8'));
      }
    }
  };
  const blob = await packages.open(model, 0);
  try {
    await pipeline(blob, createGunzip(), take);
  } finally {
    blob.close();
  }
  if (!isFound) throw badModel(model, `its package has no file ${modelFile}`);
  if (labels.length > 0) return { path: target, labels };
  const next = `Upload it as a new version with its labels, or with ${MODEL_LABELS_FILE} at the top of its package.`;
  throw badModel(model, `it has no labels, so nobody knows what its outputs stand for. ${next}`);
}

/** The model file within the package. */
function modelFileOf(model: StoredPackage): string {
  const { metadata, files } = model;
  const { model_framework: said, model_file: named } = metadata;
  const framework = typeof said === 'string' && said !== '' ? said.toLowerCase() : 'onnx';
  const found = typeof named === 'string' ? [named] : files.flatMap(({ name }) => (isOnnx(name) ? [name] : []));
  const [file] = found;
  if (framework !== 'onnx' || (file !== undefined && !isOnnx(file))) {
    const message = `${nameOf(model)} is of the framework ${framework}; a hub runs ONNX models. A machine may run it with a module.`;
    throw new ArmatureError('call.unimplemented', message);
  }
  if (file === undefined) throw badModel(model, 'its package has no .onnx file');
  if (found.length > 1) throw badModel(model, `its package has ${found.length} .onnx files: which one is meant?`);
  return path.posix.normalize(file);
}

function isOnnx(name: string): boolean {
  return name.toLowerCase().endsWith('.onnx');
}

function labelsOf({ metadata: { labels } }: StoredPackage): readonly string[] {
  return Array.isArray(labels) && labels.every((label) => typeof label === 'string') ? labels : [];
}

function badModel(model: StoredPackage, why: string): ArmatureError {
  return new ArmatureError('call.failed_precondition', `${nameOf(model)} cannot be run here: ${why}`);
}

function tooLarge(model: StoredPackage, bytes: number): ArmatureError {
  const message = `${nameOf(model)} has ${bytes} bytes; a hub runs models of ${MAX_MODEL_BYTES} at most.`;
  return new ArmatureError('call.too_large', message);
}
