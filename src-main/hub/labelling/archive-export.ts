import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Pack } from 'tar-stream';
import { DatasetFormat } from '../../../proto/gen/core/hub/v1/dataset.ts';
import { ArmatureError } from '../../base/errors.ts';
import { addFile, tarGzip } from '../../base/tar/tar-gzip.ts';
import { datasetLine } from './dataset-file.ts';
import { cocoText } from './formats/coco.ts';
import type { FileBox, FilePicture } from './formats/file-picture.ts';
import { YOLO_LABELS, YOLO_PICTURES, YOLO_SETTINGS, yoloSettings, yoloText } from './formats/yolo.ts';
import { pictureFileName } from './picture-file-name.ts';
import type { DatasetSnapshots, SnapshotItem } from './snapshots.ts';
import { DATASET_FILE, PICTURES_FOLDER } from './write-dataset.ts';

/** File of the COCO annotations in an archive, and folder of its pictures. */
export const COCO_FILE = 'annotations.json';
export const COCO_PICTURES = 'images';

export interface ArchiveSource {
  readonly items: AsyncIterable<SnapshotItem>;
  /** All labels of its boxes. */
  readonly boxLabels: readonly string[];
  readonly bytes: DatasetSnapshots['bytes'];
}

/**
 * Pictures and labels as a `.tar.gz`, made while the caller reads it.
 * @throws {ArmatureError} `call.bad_argument`, `store.corrupt`
 */
export function exportArchive(
  source: ArchiveSource,
  format: DatasetFormat,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  return tarGzip((tar) => fill(tar, source, format, signal));
}

async function fill(tar: Pack, source: ArchiveSource, format: DatasetFormat, signal: AbortSignal): Promise<void> {
  const text = (name: string, content: string): Promise<void> => addFile(tar, { name }, content);
  const copy = async (item: SnapshotItem, name: string): Promise<void> => {
    const sink = tar.entry({ name, size: item.bytes, mtime: new Date(item.received_at) });
    await pipeline(await source.bytes(item), sink);
  };
  const labels = [...source.boxLabels].sort();
  const lines: string[] = [];
  const pictures: FilePicture[] = [];
  if (format === DatasetFormat.YOLO) await text(YOLO_SETTINGS, yoloSettings(labels));
  for await (const item of source.items) {
    signal.throwIfAborted();
    const file = pictureFileName(item);
    switch (format) {
      case DatasetFormat.JSON_LINES: {
        const name = `${PICTURES_FOLDER}/${file}`;
        lines.push(`${JSON.stringify(datasetLine(item, name, {}))}\n`);
        await copy(item, name);
        break;
      }
      case DatasetFormat.YOLO: {
        const named = file.replace(/\.[^.]*$/, '');
        await text(`${YOLO_LABELS}/${named}.txt`, yoloText({ boxes: boxesOf(item) }, labels));
        await copy(item, `${YOLO_PICTURES}/${file}`);
        break;
      }
      case DatasetFormat.COCO: {
        const content = await buffer(await source.bytes(item));
        pictures.push({ file, ...(await sizeOf(item, content)), boxes: boxesOf(item), tags: tagsOf(item) });
        await addFile(tar, { name: `${COCO_PICTURES}/${file}` }, content);
        break;
      }
      default:
        throw new ArmatureError('call.bad_argument', 'The "format" is missing: COCO, YOLO or JSON_LINES.');
    }
  }
  if (format === DatasetFormat.JSON_LINES) await text(DATASET_FILE, lines.join(''));
  if (format === DatasetFormat.COCO) await text(COCO_FILE, cocoText(pictures));
  tar.finalize();
}

/** Reads the size of a picture: COCO has boxes in pixels, and the hub does not store sizes. */
async function sizeOf({ binary_id }: SnapshotItem, content: Buffer) {
  const { default: sharp } = await import('sharp');
  try {
    const { width, height, orientation = 1 } = await sharp(content).metadata();
    // EXIF orientations above 4 swap width and height.
    return orientation > 4 ? { width: height, height: width } : { width, height };
  } catch (thrown) {
    throw new ArmatureError(
      'call.failed_precondition',
      `"${binary_id}" is not a picture whose size can be read, and COCO needs the size: remove it from the dataset, or export JSON lines.`,
      { cause: thrown },
    );
  }
}

function boxesOf({ labels }: SnapshotItem): FileBox[] {
  return labels.flatMap(({ label, x_min, y_min, x_max, y_max }) =>
    x_min === null || y_min === null || x_max === null || y_max === null
      ? []
      : [{ label, left: x_min, top: y_min, right: x_max, bottom: y_max }],
  );
}

function tagsOf({ labels }: SnapshotItem): string[] {
  return [...new Set(labels.flatMap(({ kind, label }) => (kind === 'box' ? [] : [label])))].sort();
}
