import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

const onnxCpuSchema = {
  title: 'ONNX model',
  description: 'Runs a trained model in the ONNX format on the processor of this computer.',
  type: 'object',
  examples: [
    {
      model_path: '${packages.ml_model.parts}/model.onnx',
      label_path: '${packages.ml_model.parts}/labels.txt',
      num_threads: 2,
      package_reference: 'parts',
    },
  ],
  additionalProperties: false,
  required: ['model_path'],
  properties: {
    model_path: {
      type: 'string',
      minLength: 1,
      title: 'Model file',
      description: 'The .onnx file. ${packages.NAME} stands for the folder of a package of this machine.',
    },
    label_path: {
      type: 'string',
      title: 'Labels file',
      description: 'What the model finds, one label a line, in the order of its outputs.',
    },
    num_threads: {
      type: 'integer',
      minimum: 0,
      maximum: 256,
      default: 0,
      title: 'Threads',
      description:
        'Threads that one run of the model takes. 0 is one less than this computer has processors, at least 1.',
    },
    package_reference: {
      type: 'string',
      title: 'Package',
      description: 'Name of the package that the model file is from, for people to read.',
    },
  },
} as const satisfies JsonSchema;

/** Attributes of machine-learning model `onnx_cpu`. */
export type OnnxCpuAttributes = ValueOf<typeof onnxCpuSchema>;

export const model: ModelSchema = {
  api: 'core:service:mlmodel',
  model: 'core:builtin:onnx_cpu',
  order: 92,
  summary: 'Runs a trained model in the ONNX format',
  mayCoexist: true,
  schema: onnxCpuSchema,
};
