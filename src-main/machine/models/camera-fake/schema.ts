import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

export const DEFAULT_WIDTH = 640;
export const DEFAULT_HEIGHT = 480;
export const DEFAULT_SHAPES = 3;
export const DEFAULT_FRAME_RATE = 10;

/** Larger pictures take seconds to draw. */
const MAX_PIXELS_A_SIDE = 4_096;

const fakeCameraSchema = {
  title: 'Fake camera',
  description:
    'A camera without hardware: shapes that move over a background. DoCommand {"truth": true} tells where they are in the last picture.',
  type: 'object',
  examples: [{ width: 320, height: 240, frame_rate: 5, shapes: 5, seed: 7 }],
  additionalProperties: false,
  properties: {
    width: {
      type: 'integer',
      minimum: 16,
      maximum: MAX_PIXELS_A_SIDE,
      default: DEFAULT_WIDTH,
      title: 'Width',
      description: 'Width of its pictures.',
      'x-unit': 'px',
    },
    height: {
      type: 'integer',
      minimum: 16,
      maximum: MAX_PIXELS_A_SIDE,
      default: DEFAULT_HEIGHT,
      title: 'Height',
      description: 'Height of its pictures.',
      'x-unit': 'px',
    },
    frame_rate: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 60,
      default: DEFAULT_FRAME_RATE,
      title: 'Frame rate',
      description: 'New pictures per second. A sooner request gets the same one again.',
      'x-unit': '/s',
    },
    shapes: {
      type: 'integer',
      minimum: 0,
      maximum: 16,
      default: DEFAULT_SHAPES,
      title: 'Shapes',
      description: 'How many rectangles and circles there are. None of them covers another one.',
    },
    seed: {
      type: 'integer',
      minimum: 0,
      default: 0,
      title: 'Seed',
      description: 'Chooses the shapes, their colours and their ways. The same seed makes the same pictures.',
    },
    animated: {
      type: 'boolean',
      default: true,
      title: 'Picture',
      description: 'Whether the shapes move.',
      'x-words': ['Still', 'Moving'],
    },
    format: {
      type: 'string',
      enum: ['jpeg', 'png'],
      default: 'jpeg',
      title: 'Format',
      description:
        'How its pictures are encoded. PNG keeps every pixel as it was drawn, and takes more time and bytes.',
    },
    model: {
      type: 'boolean',
      deprecated: true,
      title: 'Model of the lens',
      description: 'Known from other servers, not used here.',
    },
    rtp_passthrough: {
      type: 'boolean',
      deprecated: true,
      title: 'RTP passthrough',
      description: 'Known from other servers, not used here.',
    },
  },
} as const satisfies JsonSchema;

/** Attributes of camera model `fake`. */
export type FakeCameraAttributes = ValueOf<typeof fakeCameraSchema>;

export const model: ModelSchema = {
  api: 'core:component:camera',
  model: 'core:builtin:fake',
  order: 57,
  summary: 'A camera without hardware: moving shapes, whose places are known',
  mayCoexist: true,
  schema: fakeCameraSchema,
};
