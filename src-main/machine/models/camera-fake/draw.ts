import sharp from 'sharp';
import type { SceneSettings, Shape, ShapeColor } from './scene.ts';

/** Every picture is different, so a cache would never be used. */
sharp.cache(false);

/** Colours that differ clearly from each other and from the background. */
export const rgbOf: Readonly<Record<ShapeColor, string>> = {
  red: '#d02828',
  green: '#1e9e3c',
  blue: '#2850d0',
  yellow: '#e8c414',
  purple: '#8c28b4',
};

const JPEG_QUALITY = 85;

/**
 * Draws shapes over a background and encodes the picture, in threads of libuv, so that the event loop is not blocked.
 */
export async function draw(
  { width, height }: Pick<SceneSettings, 'width' | 'height'>,
  shapes: readonly Shape[],
  format: 'jpeg' | 'png',
): Promise<Uint8Array> {
  const picture = sharp(Buffer.from(svgOf(width, height, shapes))).flatten();
  return format === 'png'
    ? picture.png({ compressionLevel: 3 }).toBuffer()
    : picture.jpeg({ quality: JPEG_QUALITY }).toBuffer();
}

function svgOf(width: number, height: number, shapes: readonly Shape[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<defs><linearGradient id="background" x2="1" y2="1">
<stop stop-color="#f4f1ec"/><stop offset="1" stop-color="#a9adb4"/>
</linearGradient></defs>
<rect width="100%" height="100%" fill="url(#background)"/>
${shapes.map(elementOf).join('\n')}
</svg>`;
}

function elementOf({ kind, color, left, top, width, height }: Shape): string {
  const fill = `fill="${rgbOf[color]}"`;
  if (kind === 'rectangle') return `<rect x="${left}" y="${top}" width="${width}" height="${height}" ${fill}/>`;
  const radius = width / 2;
  return `<circle cx="${left + radius}" cy="${top + radius}" r="${radius}" ${fill}/>`;
}
