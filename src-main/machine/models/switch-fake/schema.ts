import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import { attributeWarning, type AttributeProblem } from '../../../../proto/config/models/attribute-problem.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

export const DEFAULT_POSITIONS = 2;

const fakeSwitchSchema = {
  title: 'Fake switch',
  description: 'A switch without hardware. It begins in its first position.',
  type: 'object',
  examples: [{ position_count: 2, labels: ['off', 'on'] }],
  additionalProperties: false,
  properties: {
    position_count: {
      type: 'integer',
      minimum: 1,
      maximum: 4_294_967_295,
      default: DEFAULT_POSITIONS,
      title: 'Positions',
      description: 'How many positions it has.',
    },
    labels: {
      type: 'array',
      items: { type: 'string' },
      title: 'Labels',
      description: 'What the positions are called, the first one first. Without them they are numbers, from 0.',
      examples: [['off', 'on']],
    },
  },
} as const satisfies JsonSchema;

export type FakeSwitchAttributes = ValueOf<typeof fakeSwitchSchema>;

/** Labels must match the number of positions, otherwise they are not used. */
function checkFakeSwitch({
  position_count: count = DEFAULT_POSITIONS,
  labels = [],
}: FakeSwitchAttributes): readonly AttributeProblem[] {
  if (labels.length === 0 || labels.length === count) return [];
  return [
    attributeWarning(
      '/labels',
      'attribute.conflict',
      `"labels" has ${labels.length} and the switch has ${count} position${count === 1 ? '' : 's'}, so it has no labels: write one for each, or change "position_count".`,
    ),
  ];
}

export const model: ModelSchema = {
  api: 'core:component:switch',
  model: 'core:builtin:fake',
  order: 56,
  summary: 'A switch without hardware',
  mayCoexist: true,
  schema: fakeSwitchSchema,
  check: checkFakeSwitch,
};
