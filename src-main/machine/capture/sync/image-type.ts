/**
 * First bytes of pictures by format: from the specifications of PNG, JPEG, GIF and WebP, and as the public ecosystem
 * writes raw pictures and depths (`camera.proto`).
 */
const kinds = [
  { mimeType: 'image/png', extension: '.png', at: 0, mark: '\x89PNG' },
  { mimeType: 'image/jpeg', extension: '.jpeg', at: 0, mark: '\xff\xd8\xff' },
  { mimeType: 'image/gif', extension: '.gif', at: 0, mark: 'GIF8' },
  { mimeType: 'image/webp', extension: '.webp', at: 8, mark: 'WEBP' },
  { mimeType: 'image/vnd.viam.rgba', extension: '.rgba', at: 0, mark: 'RGBA' },
  { mimeType: 'image/vnd.viam.dep', extension: '.dep', at: 0, mark: 'DEPTHMAP' },
] as const;

function kindOf(content: Uint8Array): (typeof kinds)[number] | undefined {
  return kinds.find(({ at, mark }) => [...mark].every((char, index) => content[at + index] === char.charCodeAt(0)));
}

/** The type; `application/octet-stream` if the bytes do not show it. */
export function mimeTypeOf(content: Uint8Array): string {
  return kindOf(content)?.mimeType ?? 'application/octet-stream';
}

/** The extension of such files, with the dot; '' if the bytes do not show the type. */
export function extensionOf(content: Uint8Array): string {
  return kindOf(content)?.extension ?? '';
}
