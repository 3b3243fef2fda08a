import { distortionSchema, intrinsicsSchema } from '../../../../proto/config/models/lens.ts';
import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

/** The frame rate that is assumed if none is configured; the camera is not set to it. */
export const DEFAULT_FRAME_RATE = 30;

/** Maximum width and height; a larger picture would hardly fit into a message. */
const MAX_PIXELS_A_SIDE = 8_192;

const webcamSchema = {
  title: 'Webcam',
  description:
    'A camera of this computer, on USB or built in, read through Video4Linux by ffmpeg. It runs while pictures are asked for, and ends 10 s after the last one was.',
  type: 'object',
  examples: [
    {
      video_path: 'video0',
      width_px: 1_280,
      height_px: 720,
      frame_rate: 15,
      intrinsic_parameters: { width_px: 1280, height_px: 720, fx: 1000, fy: 1000, ppx: 640, ppy: 360 },
      distortion_parameters: { rk1: 0.1, rk2: -0.02, rk3: 0.001, tp1: 0.001, tp2: 0.002 },
    },
  ],
  additionalProperties: false,
  properties: {
    video_path: {
      type: 'string',
      title: 'Device',
      description:
        'The device: video0, /dev/video0, or a name of /dev/v4l/by-id, which stays the same whatever else is plugged in. Empty is the first camera, in the order of where they are attached.',
      'x-columns': 2,
      examples: ['video0', '/dev/v4l/by-id/usb-046d_HD_Pro_Webcam_C920-video-index0'],
    },
    width_px: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_PIXELS_A_SIDE,
      title: 'Width',
      description:
        'Width of its pictures, one that the camera offers. Where width and height are not said, or 0, it is what is nearest to 640 × 480.',
      'x-unit': 'px',
    },
    height_px: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_PIXELS_A_SIDE,
      title: 'Height',
      description: 'Height of its pictures.',
      'x-unit': 'px',
    },
    frame_rate: {
      type: 'number',
      minimum: 0,
      maximum: 240,
      title: 'Frame rate',
      description:
        'New pictures per second. A camera that does not have this rate takes the one next to it; not said, or 0, it takes its own.',
      'x-unit': '/s',
    },
    format: {
      type: 'string',
      enum: ['MJPEG', 'YUY2', 'UYVY', 'I420', 'I444', 'NV12', 'NV21', 'RGBA'],
      title: 'Format of the device',
      description:
        'How the device hands its pictures over. MJPEG, which is taken where it is offered, is passed on as it comes; what is made of the others costs this computer work. Clients get JPEGs in any case.',
    },
    intrinsic_parameters: intrinsicsSchema,
    distortion_parameters: distortionSchema,
  },
} as const satisfies JsonSchema;

/** Attributes of camera model `webcam`. */
export type WebcamAttributes = ValueOf<typeof webcamSchema>;

export const model: ModelSchema = {
  api: 'core:component:camera',
  model: 'core:builtin:webcam',
  order: 54,
  summary: 'A camera of this computer, on USB or built in',
  mayCoexist: false,
  schema: webcamSchema,
};
