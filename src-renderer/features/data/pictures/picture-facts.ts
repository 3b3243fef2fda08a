import type { BinaryMetadata } from '../../../../proto/gen/core/app/data/v1/data.ts';

/** Adds and removes tags of some pictures, named by their ids. */
export type ChangeTags = (
  ids: readonly string[],
  added: readonly string[],
  removed: readonly string[],
) => Promise<void>;

/** Kinds that a browser draws, by the ending of a file. */
const drawn: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  bmp: 'image/bmp',
  avif: 'image/avif',
};
const drawnTypes = new Set(Object.values(drawn));

/** What a browser draws it as; undefined for what is no picture. */
export function pictureType({ captureMetadata, fileExt }: BinaryMetadata): string | undefined {
  const type = captureMetadata?.mimeType.split(';')[0]?.trim().toLowerCase() ?? '';
  return drawnTypes.has(type) ? type : drawn[fileExt.replace(/^\./, '').toLowerCase()];
}

/** Name of a download: as the file was called, or by its time. */
export function pictureName(metadata: BinaryMetadata): string {
  const { fileName, fileExt, binaryDataId, captureMetadata } = metadata;
  const last = fileName.split(/[/\\]/).at(-1) ?? '';
  if (last !== '') return last;
  const type = pictureType(metadata);
  const known = Object.entries(drawn).find(([, each]) => each === type)?.[0];
  const ending = fileExt.replace(/^\./, '') || (known ?? 'bin');
  const time = pictureTime(metadata);
  const when = time === undefined ? binaryDataId : new Date(time).toISOString().replaceAll(':', '-');
  const name = (captureMetadata?.componentName ?? '').replace(/[^\w.-]+/g, '_');
  return `${name === '' ? '' : `${name}-`}${when}.${ending}`;
}

/** When it was captured, wall-clock ms. */
export function pictureTime({ timeReceived, timeRequested }: BinaryMetadata): number | undefined {
  return (timeReceived ?? timeRequested)?.getTime();
}

export function tagsOf({ captureMetadata }: BinaryMetadata): readonly string[] {
  return captureMetadata?.tags ?? [];
}

/** The same with other tags. */
export function withTags(metadata: BinaryMetadata, tags: readonly string[]): BinaryMetadata {
  const { captureMetadata } = metadata;
  if (captureMetadata === undefined) return metadata;
  return { ...metadata, captureMetadata: { ...captureMetadata, tags: [...tags] } };
}

/** Tags as they are typed: several between commas, each once. */
export function typedTags(text: string): readonly string[] {
  return [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
}
