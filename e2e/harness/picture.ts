import { crc32, deflateSync } from 'node:zlib';

export interface Shade {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

/** A PNG with 8 bits per colour channel; `shadeAt` gives each pixel, 0 to 255. */
export function pngOf(width: number, height: number, shadeAt: (x: number, y: number) => Shade): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0, at = 0; y < height; y++) {
    rows[at++] = 0;
    for (let x = 0; x < width; x++) {
      const { red, green, blue } = shadeAt(x, y);
      rows[at++] = red;
      rows[at++] = green;
      rows[at++] = blue;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A workpiece on a belt, seen from above; position and light depend on `index`. */
export function pieceOnBelt(index: number): Buffer {
  const [width, height] = [320, 240];
  const middle = { x: 70 + ((index * 53) % 180), y: 90 + ((index * 37) % 70) };
  const light = 0.72 + 0.28 * Math.sin(index / 3);
  return pngOf(width, height, (x, y) => {
    const distance = Math.hypot(x - middle.x, (y - middle.y) * 1.1);
    const isHole = distance < 14;
    const isPiece = distance < 46 && !isHole;
    const isSeam = (x + index * 11) % 64 < 2;
    const base = isPiece ? [196, 140, 98] : isSeam ? [46, 50, 56] : [72, 78, 86];
    const shade = light * (isPiece ? 1.15 - distance / 160 : 1 - y / 900);
    const [red = 0, green = 0, blue = 0] = base.map((value) => Math.max(0, Math.min(255, Math.round(value * shade))));
    return { red, green, blue };
  });
}
