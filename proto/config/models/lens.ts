import type { JsonSchema } from '../schema/json-schema.ts';

const pixels = (title: string, description: string) =>
  ({ type: 'number', minimum: 0, title, description, 'x-unit': 'px' }) as const satisfies JsonSchema;
const coefficient = (title: string) => ({ type: 'number', title }) as const satisfies JsonSchema;

/** `intrinsic_parameters` of a camera. */
export const intrinsicsSchema = {
  type: 'object',
  title: 'Model of the lens',
  description:
    'The pinhole model of the lens, from a calibration. Clients can read it; it does not change the pictures.',
  additionalProperties: false,
  properties: {
    width_px: pixels('Width', 'Width of the pictures that the model is for.'),
    height_px: pixels('Height', 'Height of the pictures that the model is for.'),
    fx: pixels('Focal length, across', 'In widths of a pixel.'),
    fy: pixels('Focal length, down', 'In heights of a pixel.'),
    ppx: pixels('Centre, across', 'Where the axis of the lens meets the picture, from its left side.'),
    ppy: pixels('Centre, down', 'Where the axis of the lens meets the picture, from its top.'),
  },
} as const satisfies JsonSchema;

/** `distortion_parameters` of a camera. */
export const distortionSchema = {
  type: 'object',
  title: 'Distortion',
  description: 'How the lens bends lines (Brown-Conrady). Clients can read it; it does not change the pictures.',
  additionalProperties: false,
  properties: {
    rk1: coefficient('Radial, 1'),
    rk2: coefficient('Radial, 2'),
    rk3: coefficient('Radial, 3'),
    tp1: coefficient('Tangential, 1'),
    tp2: coefficient('Tangential, 2'),
  },
} as const satisfies JsonSchema;
