/** Endings of pictures, by their type. */
const endings: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/webp': '.webp',
  'image/gif': '.gif',
  'image/bmp': '.bmp',
  'image/avif': '.avif',
  'image/tiff': '.tif',
};
const ENDING = /^\.[a-z0-9]{1,8}$/;

export interface NamedPicture {
  readonly binary_id: string;
  readonly mime_type: string;
  readonly file_ext: string;
}

/** Whether this is a picture at all: a dataset may have other files in it. */
export function isPicture({ mime_type, file_ext }: Omit<NamedPicture, 'binary_id'>): boolean {
  const ending = (file_ext.startsWith('.') ? file_ext : `.${file_ext}`).toLowerCase();
  return mime_type.startsWith('image/') || ending === '.jpeg' || Object.values(endings).includes(ending);
}

/** What a picture is called among the files of a dataset: by its id. What its sender called it says nothing safe. */
export function pictureFileName({ binary_id, mime_type, file_ext }: NamedPicture): string {
  const own = (file_ext.startsWith('.') ? file_ext : `.${file_ext}`).toLowerCase();
  const type = mime_type.split(';')[0]?.trim().toLowerCase() ?? '';
  return `${binary_id}${ENDING.test(own) ? own : (endings[type] ?? '')}`;
}
