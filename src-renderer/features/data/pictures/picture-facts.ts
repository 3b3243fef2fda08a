import type { BinaryMetadata } from '../../../../proto/gen/core/app/data/v1/data.ts';

/** Adds and removes tags of some pictures, named by their ids. */
export type ChangeTags = (
  ids: readonly string[],
  added: readonly string[],
  removed: readonly string[],
) => Promise<void>;

/** Types that browsers draw, by file extension. */
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

/** The MIME type as which browsers draw it; undefined where they cannot. */
export function pictureType({ captureMetadata, fileExt }: BinaryMetadata): string | undefined {
  const type = captureMetadata?.mimeType.split(';')[0]?.trim().toLowerCase() ?? '';
  return drawnTypes.has(type) ? type : drawn[fileExt.replace(/^\./, '').toLowerCase()];
}

/** File name of a download: that of the captured file, or one with its time. */
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

/** When it was captured, wall-clock ms; undefined where it is not known. */
export function pictureTime({ timeReceived, timeRequested }: BinaryMetadata): number | undefined {
  return (timeReceived ?? timeRequested)?.getTime();
}

export function tagsOf({ captureMetadata }: BinaryMetadata): readonly string[] {
  return captureMetadata?.tags ?? [];
}

/** The same metadata with other tags. */
export function withTags(metadata: BinaryMetadata, tags: readonly string[]): BinaryMetadata {
  const { captureMetadata } = metadata;
  if (captureMetadata === undefined) return metadata;
  return { ...metadata, captureMetadata: { ...captureMetadata, tags: [...tags] } };
}

/** Reads typed tags, separated by commas, without duplicates. */
export function typedTags(text: string): readonly string[] {
  return [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
}
