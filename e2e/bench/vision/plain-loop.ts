/** Subtracted from each value, which is from 0 to 1, before division. */
export const MEAN = 0.5;
export const DEVIATION = 0.5;

/** The floats of a picture, colours first, as a program of a few lines computes them. @param rgb three bytes a pixel */
export function planesOf(rgb: Uint8Array): Float32Array {
  const count = rgb.length / 3;
  const planes = new Float32Array(rgb.length);
  for (let pixel = 0; pixel < count; pixel++) {
    for (let channel = 0; channel < 3; channel++) {
      planes[channel * count + pixel] = ((rgb[pixel * 3 + channel] ?? 0) / 255 - MEAN) / DEVIATION;
    }
  }
  return planes;
}
