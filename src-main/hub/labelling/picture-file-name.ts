/** File extensions of pictures, by MIME type. */
const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/webp': '.webp',
  'image/gif': '.gif',
  'image/bmp': '.bmp',
  'image/avif': '.avif',
  'image/tiff': '.tif',
};
const EXTENSION = /^\.[a-z0-9]{1,8}$/;

export interface NamedPicture {
  readonly binary_id: string;
  readonly mime_type: string;
  readonly file_ext: string;
}

/** Whether this is a picture: a dataset may contain other files too. */
export function isPicture({ mime_type, file_ext }: Omit<NamedPicture, 'binary_id'>): boolean {
  const extension = (file_ext.startsWith('.') ? file_ext : `.${file_ext}`).toLowerCase();
  return mime_type.startsWith('image/') || extension === '.jpeg' || Object.values(extensions).includes(extension);
}

/** File name of a picture in a dataset folder: its id with an extension. The sender's file name is not safe to use. */
export function pictureFileName({ binary_id, mime_type, file_ext }: NamedPicture): string {
  const own = (file_ext.startsWith('.') ? file_ext : `.${file_ext}`).toLowerCase();
  const type = mime_type.split(';')[0]?.trim().toLowerCase() ?? '';
  return `${binary_id}${EXTENSION.test(own) ? own : (extensions[type] ?? '')}`;
}
