import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { DatasetFormat } from '../../../proto/gen/core/hub/v1/dataset.ts';
import { ArmatureError } from '../../base/errors.ts';
import { readCoco } from './formats/coco.ts';
import { badFile, pictureName, type FileLabels } from './formats/file-picture.ts';
import { readDatasetLines } from './formats/json-lines.ts';
import { readYoloSettings, readYoloText } from './formats/yolo.ts';

/** Limit for all text files of an archive together. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;
const TEXT_EXTENSIONS = new Set(['.json', '.jsonl', '.yaml', '.yml', '.txt']);
/** MIME types of the pictures that are imported, by extension. */
const PICTURE_TYPES: Readonly<Record<string, string | undefined>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.bmp': 'image/bmp',
  '.avif': 'image/avif',
};

/** A picture of an archive, without its bytes. */
export interface ArchivePicture extends FileLabels {
  readonly mimeType: string;
  readonly fileExt: string;
}

export interface ReadArchive {
  readonly format: DatasetFormat;
  /** By the name of the picture. */
  readonly pictures: ReadonlyMap<string, ArchivePicture>;
}

/**
 * Reads and checks the pictures and labels of an archive.
 * @param file a `.tar.gz`
 * @throws {ArmatureError} `call.bad_argument` with the file in the archive, and the line or the picture
 */
export async function readArchive(file: string): Promise<ReadArchive> {
  const texts = new Map<string, string>();
  const found = new Map<string, ArchivePicture>();
  let bytes = 0;
  await eachFile(file, async (name, size, content) => {
    const extension = path.posix.extname(name).toLowerCase();
    const mimeType = PICTURE_TYPES[extension];
    if (mimeType !== undefined) {
      const picture = pictureName(name, name);
      if (found.has(picture)) throw badFile(name, `another picture is called "${picture}" too: rename one of them.`);
      found.set(picture, { file: picture, boxes: [], tags: [], mimeType, fileExt: extension });
    } else if (TEXT_EXTENSIONS.has(extension)) {
      bytes += size;
      if (bytes > MAX_TEXT_BYTES) throw badFile(name, `the labels have more than ${MAX_TEXT_BYTES} bytes.`);
      texts.set(name, (await buffer(content)).toString('utf8'));
      return;
    }
    content.resume();
  });
  const { format, labels } = labelsOf(texts, [...found.keys()]);
  const pictures = new Map(found);
  for (const each of labels) {
    const picture = found.get(each.file);
    if (picture === undefined) throw badFile(each.file, 'this picture has labels and is not in the archive.');
    pictures.set(each.file, { ...picture, ...each });
  }
  return { format, pictures };
}

/** Calls `work` for the pictures of an archive, one after the other. It has to consume the content of each. */
export async function eachPicture(
  file: string,
  work: (name: string, content: Readable) => Promise<void>,
): Promise<void> {
  await eachFile(file, async (name, _size, content) => {
    if (PICTURE_TYPES[path.posix.extname(name).toLowerCase()] === undefined) content.resume();
    else await work(pictureName(name, name), content);
  });
}

async function eachFile(
  file: string,
  work: (name: string, size: number, content: Readable) => Promise<void>,
): Promise<void> {
  const entries = extract();
  const raw = createReadStream(file);
  const unzipped = createGunzip();
  raw.on('error', (error) => entries.destroy(error));
  unzipped.on('error', (error) => entries.destroy(error));
  raw.pipe(unzipped).pipe(entries);
  try {
    for await (const each of entries as AsyncIterable<
      Readable & { header: { name: string; type: string; size: number } }
    >) {
      const { name, type, size } = each.header;
      // macOS adds a `._` file with attributes beside each file.
      if (type !== 'file' || path.posix.basename(name).startsWith('._')) each.resume();
      else await work(name, size, each);
    }
  } catch (thrown) {
    if (thrown instanceof ArmatureError) throw thrown;
    throw new ArmatureError('call.bad_argument', `This is no whole .tar.gz archive: ${(thrown as Error).message}.`, {
      cause: thrown,
    });
  } finally {
    raw.destroy();
    unzipped.destroy();
  }
}

function labelsOf(
  texts: ReadonlyMap<string, string>,
  pictures: readonly string[],
): { readonly format: DatasetFormat; readonly labels: readonly FileLabels[] } {
  const textsWith = (...extensions: string[]): (readonly [string, string])[] =>
    [...texts].filter(([name]) => extensions.includes(path.posix.extname(name).toLowerCase()));
  const [lines, settings, json] = [textsWith('.jsonl'), textsWith('.yaml', '.yml'), textsWith('.json')];
  if (lines.length > 0) {
    return { format: DatasetFormat.JSON_LINES, labels: lines.flatMap(([name, text]) => readDatasetLines(name, text)) };
  }
  const [first] = settings;
  if (first !== undefined) {
    const names = readYoloSettings(...first);
    const byStem = new Map(pictures.map((name) => [name.replace(/\.[^.]*$/, ''), name]));
    const labels = textsWith('.txt').flatMap(([name, text]) => {
      const picture = byStem.get(path.posix.basename(name).replace(/\.[^.]*$/, ''));
      // A text outside of a folder `labels` may be a note or a list of files.
      if (picture === undefined && !name.split('/').includes('labels')) return [];
      if (picture === undefined) throw badFile(name, 'these are the labels of a picture that is not in the archive.');
      return [{ file: picture, boxes: readYoloText(name, text, names), tags: [] }];
    });
    return { format: DatasetFormat.YOLO, labels };
  }
  if (json.length > 0) {
    return { format: DatasetFormat.COCO, labels: json.flatMap(([name, text]) => readCoco(name, text)) };
  }
  throw new ArmatureError(
    'call.bad_argument',
    'The archive has no labels: a .jsonl file, the .json file of COCO, or data.yaml for YOLO.',
  );
}
