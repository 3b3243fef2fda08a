import { distortionSchema, intrinsicsSchema } from '../../../../proto/config/models/lens.ts';
import type { ValueOf } from '../../../../proto/config/models/model-schema.ts';
import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';

/** Larger pictures take seconds to create and do not fit into a message. */
export const MAX_PIXELS_A_SIDE = 8_192;
/** Degrees: upside down, for a camera that is mounted hanging. */
export const DEFAULT_ANGLE = 180;
export const DEFAULT_MOST_CLASSIFICATIONS = 1;

export const stepTypes = ['crop', 'resize', 'rotate', 'detections', 'classifications'] as const;
export type StepType = (typeof stepTypes)[number];

const side = (title: string, description: string) =>
  ({ type: 'number', minimum: 0, title, description, 'x-unit': 'px' }) as const satisfies JsonSchema;
const length = (title: string) =>
  ({
    type: 'integer',
    minimum: 0,
    maximum: MAX_PIXELS_A_SIDE,
    title,
    description: 'Of resize.',
    'x-unit': 'px',
  }) as const satisfies JsonSchema;

const stepAttributes = {
  x_min_px: side('Left', 'Of crop. Where no side is more than 1, the sides are shares of the picture.'),
  y_min_px: side('Top', 'Of crop.'),
  x_max_px: side('Right', 'Of crop: the first pixel that is left out.'),
  y_max_px: side('Bottom', 'Of crop: the first pixel that is left out.'),
  overlay_crop_box: {
    type: 'boolean',
    default: false,
    title: 'Crop',
    description: 'Of crop: whether the picture is cut, or the box is only drawn.',
    'x-words': ['Cut', 'Draw the box'],
  },
  width_px: length('Width'),
  height_px: length('Height'),
  angle_degs: {
    type: 'number',
    minimum: -360,
    maximum: 360,
    default: DEFAULT_ANGLE,
    title: 'Angle',
    description: 'Of rotate, clockwise. Corners that come into the picture are black.',
    'x-unit': '°',
  },
  detector_name: {
    type: 'string',
    title: 'Detector',
    description: 'Of detections: the vision service that finds what is drawn.',
    'x-resource': 'core:service:vision',
  },
  classifier_name: {
    type: 'string',
    title: 'Classifier',
    description: 'Of classifications: the vision service that says what the picture shows.',
    'x-resource': 'core:service:vision',
  },
  confidence_threshold: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0,
    title: 'Least confidence',
    description: 'Of detections and classifications: what is less sure is left out.',
  },
  max_classifications: {
    type: 'integer',
    minimum: 0,
    default: DEFAULT_MOST_CLASSIFICATIONS,
    title: 'Most labels',
    description: 'Of classifications: so many of the most likely ones. 0 is 1.',
  },
  valid_labels: {
    type: 'array',
    title: 'Labels',
    description: 'Of detections and classifications: only these are drawn, in capitals or not. Without any, all are.',
    items: { type: 'string' },
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** The attributes of each step. */
export const attributesOf: Readonly<Record<StepType, readonly string[]>> = {
  crop: ['x_min_px', 'y_min_px', 'x_max_px', 'y_max_px', 'overlay_crop_box'],
  resize: ['width_px', 'height_px'],
  rotate: ['angle_degs'],
  detections: ['detector_name', 'confidence_threshold', 'valid_labels'],
  classifications: ['classifier_name', 'confidence_threshold', 'max_classifications', 'valid_labels'],
};

export const transformSchema = {
  title: 'Transformed camera',
  description: 'Takes the pictures of another camera through a list of steps, one after the other.',
  type: 'object',
  examples: [
    {
      source: 'camera-1',
      pipeline: [
        { type: 'crop', attributes: { x_min_px: 100, y_min_px: 50, x_max_px: 420, y_max_px: 290 } },
        { type: 'resize', attributes: { width_px: 320, height_px: 240 } },
        { type: 'rotate', attributes: { angle_degs: 90 } },
        {
          type: 'detections',
          attributes: { detector_name: 'vision-1', confidence_threshold: 0.6, valid_labels: ['bolt'] },
        },
        { type: 'classifications', attributes: { classifier_name: 'vision-1', max_classifications: 3 } },
      ],
      intrinsic_parameters: { width_px: 320, height_px: 240, fx: 300, fy: 300, ppx: 160, ppy: 120 },
      distortion_parameters: { rk1: 0.1, rk2: -0.02, rk3: 0.001, tp1: 0.001, tp2: 0.002 },
    },
  ],
  required: ['source', 'pipeline'],
  additionalProperties: false,
  properties: {
    source: {
      type: 'string',
      minLength: 1,
      title: 'Camera',
      description: 'The camera whose pictures it takes.',
      'x-resource': 'core:component:camera',
    },
    pipeline: {
      type: 'array',
      minItems: 1,
      title: 'Steps',
      description: 'Each step takes the picture that the one before it made.',
      items: {
        type: 'object',
        title: 'Step',
        required: ['type'],
        additionalProperties: false,
        properties: {
          type: {
            type: 'string',
            enum: stepTypes,
            title: 'Kind',
            description:
              'Cut a part out, stretch, turn, draw boxes around what a detector finds, or write what a classifier says.',
          },
          attributes: {
            type: 'object',
            title: 'Settings',
            description: 'Those of its kind.',
            additionalProperties: false,
            properties: stepAttributes,
          },
        },
      },
    },
    intrinsic_parameters: intrinsicsSchema,
    distortion_parameters: distortionSchema,
  },
} as const satisfies JsonSchema;

/** Attributes of camera model `transform`. */
export type TransformAttributes = ValueOf<typeof transformSchema>;
export type Step = TransformAttributes['pipeline'][number];
export type StepAttributes = NonNullable<Step['attributes']>;

/**
 * Whether a camera with these attributes asks vision services about its pictures. A vision service does not take
 * pictures from such a camera, because they would contain what other services found.
 * @param attributes of a camera of model `transform`, validated or not
 */
export function findsThings(attributes: Readonly<Record<string, unknown>>): boolean {
  const { pipeline } = attributes;
  if (!Array.isArray(pipeline)) return false;
  return pipeline.some((step: unknown) => {
    const type = typeof step === 'object' && step !== null && 'type' in step ? step.type : undefined;
    return type === 'detections' || type === 'classifications';
  });
}
