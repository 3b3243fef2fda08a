import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';
import {
  attributeError,
  attributeWarning,
  type AttributeProblem,
} from '../../../../proto/config/models/attribute-problem.ts';

/** For a channel with values from 0 to 1: with both, the model gets -1 to 1. */
export const DEFAULT_MEAN = 0.5;
export const DEFAULT_STD_DEV = 0.5;

const confidence = { type: 'number', minimum: 0, maximum: 1 } as const;
const names = { type: 'object', additionalProperties: { type: 'string', minLength: 1 } } as const;

const mlmodelVisionSchema = {
  title: 'Vision with a trained model',
  description:
    'Finds things in pictures by a trained model that a machine-learning service runs: boxes round them, or what a picture shows.',
  type: 'object',
  examples: [
    {
      mlmodel_name: 'mlmodel-1',
      camera_name: 'camera-1',
      default_minimum_confidence: 0.6,
      label_path: '/home/pi/labels.txt',
      remap_input_names: { images: 'image' },
      remap_output_names: { boxes: 'location', classes: 'category', scores: 'score' },
      input_image_mean_value: [0.485, 0.456, 0.406],
      input_image_std_dev: [0.229, 0.224, 0.225],
    },
    { mlmodel_name: 'mlmodel-1', label_confidences: { bolt: 0.5, nut: 0.7 } },
  ],
  additionalProperties: false,
  required: ['mlmodel_name'],
  properties: {
    mlmodel_name: {
      type: 'string',
      minLength: 1,
      title: 'Model',
      description: 'The machine-learning service that runs the model.',
      'x-resource': 'core:service:mlmodel',
    },
    camera_name: {
      type: 'string',
      title: 'Usual camera',
      description: 'The camera for requests that name none.',
    },
    default_minimum_confidence: {
      ...confidence,
      title: 'Minimum confidence',
      description: 'What the model is less sure of is left out. Has no effect beside confidences by label.',
    },
    label_confidences: {
      type: 'object',
      additionalProperties: confidence,
      title: 'Confidences by label',
      description: 'The least confidence of each label. Labels that are not here are left out.',
    },
    label_path: {
      type: 'string',
      title: 'Labels file',
      description: 'One label a line, in the order of the outputs. Absent: the labels that come with the model.',
    },
    remap_input_names: {
      ...names,
      title: 'Input names',
      description: "The model's own name of its input, and the name it stands for: image.",
    },
    remap_output_names: {
      ...names,
      title: 'Output names',
      description:
        "The model's own names of its outputs, and the names they stand for: location, category, score, probability.",
    },
    input_image_bgr: {
      type: 'boolean',
      default: false,
      title: 'Colours',
      description: 'The order of the colours of a pixel that the model was trained with.',
      'x-words': ['Red, green, blue', 'Blue, green, red'],
      // The words are wider than one column.
      'x-columns': 2,
    },
    input_image_mean_value: {
      type: 'array',
      items: { type: 'number' },
      minItems: 3,
      default: [DEFAULT_MEAN, DEFAULT_MEAN, DEFAULT_MEAN],
      title: 'Mean',
      description:
        'Taken from the values 0 to 1 of each colour, in the order of the colours. For models that take floats.',
    },
    input_image_std_dev: {
      type: 'array',
      items: { type: 'number' },
      minItems: 3,
      default: [DEFAULT_STD_DEV, DEFAULT_STD_DEV, DEFAULT_STD_DEV],
      title: 'Standard deviation',
      description: 'What is left is divided by it. For models that take floats.',
    },
    xmin_ymin_xmax_ymax_order: {
      type: 'array',
      items: { type: 'integer', minimum: 0, maximum: 3 },
      minItems: 4,
      maxItems: 4,
      examples: [[1, 0, 3, 2]],
      title: 'Order of box sides',
      description:
        'Which side each number of a box is: 0 left, 1 top, 2 right, 3 bottom. Absent: as the model says, else 1, 0, 3, 2.',
    },
  },
} as const satisfies JsonSchema;

/** Attributes of vision model `mlmodel`. */
export type MlModelVisionAttributes = ValueOf<typeof mlmodelVisionSchema>;

const inputNames: readonly string[] = ['image'];
const outputNames: readonly string[] = ['location', 'category', 'score', 'probability'];

/** Rules that the schema cannot express. */
function check(attributes: MlModelVisionAttributes): AttributeProblem[] {
  const { input_image_std_dev: deviation = [], xmin_ymin_xmax_ymax_order: order = [0, 1, 2, 3] } = attributes;
  const problems: AttributeProblem[] = [];
  const refuse = (pointer: string, message: string): void =>
    void problems.push(attributeError(pointer, 'attribute.not_allowed', message));
  deviation.forEach((value, index) => {
    if (value === 0)
      refuse(`/input_image_std_dev/${index}`, 'A standard deviation is 0, by which nothing can be divided.');
  });
  if (new Set(order).size !== order.length) {
    refuse(
      '/xmin_ymin_xmax_ymax_order',
      `The order of box sides is ${order.join(', ')}; each of 0, 1, 2, 3 is in it once.`,
    );
  }
  problems.push(...checkNames('/remap_input_names', attributes.remap_input_names, inputNames));
  problems.push(...checkNames('/remap_output_names', attributes.remap_output_names, outputNames));
  return problems;
}

function checkNames(
  pointer: string,
  remap: Readonly<Record<string, unknown>> | undefined,
  allowed: readonly string[],
): AttributeProblem[] {
  const seen = new Set<unknown>();
  return Object.entries(remap ?? {}).flatMap(([own, name]) => {
    const isTaken = seen.has(name);
    seen.add(name);
    const at = `${pointer}/${own.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (typeof name === 'string' && !allowed.includes(name)) {
      const message = `"${own}" stands for "${name}", which has no effect here: only ${allowed.join(', ')} do.`;
      return [attributeWarning(at, 'attribute.no_effect', message)];
    }
    return isTaken ? [attributeError(at, 'attribute.not_allowed', `Two tensors stand for "${String(name)}".`)] : [];
  });
}

export const model: ModelSchema = {
  api: 'core:service:vision',
  model: 'core:builtin:mlmodel',
  order: 94,
  summary: 'Finds things in pictures by a trained model',
  mayCoexist: false,
  schema: mlmodelVisionSchema,
  check,
};
