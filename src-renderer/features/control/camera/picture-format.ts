/** File extensions of the picture types that browsers draw, by MIME type. */
const extensions: Readonly<Record<string, string>> = {
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
};

/** Whether browsers draw pictures of this type. They do not draw raw formats, QOI or depth maps. */
export function isDrawable(mimeType: string): boolean {
  return Object.hasOwn(extensions, mimeType);
}

/** The short name of a picture format: `JPEG` for `image/jpeg`. */
export function formatName(mimeType: string): string {
  return mimeType.replace(/^image\/(vnd\.)?/, '').toUpperCase();
}

/** File name of a picture, with the local time of its arrival: `eye-color-2026-11-23-205507-120.jpg`. */
export function pictureFileName(camera: string, sourceName: string, mimeType: string, at: number): string {
  const date = new Date(at);
  const pad = (value: number, length = 2): string => String(value).padStart(length, '0');
  const day = [pad(date.getFullYear(), 4), pad(date.getMonth() + 1), pad(date.getDate())].join('-');
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => pad(part)).join('');
  const parts = [camera, sourceName, day, time, pad(date.getMilliseconds(), 3)].filter((part) => part !== '');
  return `${parts.join('-').replace(/[^\w.-]+/g, '_')}.${extensions[mimeType] ?? 'bin'}`;
}
