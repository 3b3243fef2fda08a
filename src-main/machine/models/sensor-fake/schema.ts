import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import { attributeError, type AttributeProblem } from '../../../../proto/config/models/attribute-problem.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

/** A leaf of `readings` that changes with time. */
export interface Wave {
  readonly wave: 'sine' | 'ramp' | 'toggle';
  /** Milliseconds of one period; 1000 where absent. */
  readonly period_ms?: number;
  /** Lowest value; 0 where absent. A toggle without `min` and `max` is false and true. */
  readonly min?: number;
  /** Highest value; 1 where absent. */
  readonly max?: number;
}

export const waveShapes = ['sine', 'ramp', 'toggle'] as const;

export const fakeSensorSchema = {
  title: 'Fake sensor',
  description: 'A sensor without hardware: readings as written, with waves. DoCommand {"set": {...}} changes them.',
  type: 'object',
  examples: [
    { readings: { temperature: { wave: 'sine', period_ms: 10_000, min: 18, max: 24 }, humidity: 40, is_open: false } },
  ],
  additionalProperties: false,
  properties: {
    readings: {
      title: 'Readings',
      description:
        'Any JSON. A value {"wave": "sine", "period_ms": 1000, "min": 0, "max": 1} changes with time; waves are sine, ramp and toggle.',
      default: { a: 1, b: 2, c: 3 },
      examples: [{ temperature: { wave: 'sine', period_ms: 10_000, min: 18, max: 24 }, humidity: 40 }],
      'x-in-place': true,
    },
  },
} as const satisfies JsonSchema;

export type FakeSensorAttributes = ValueOf<typeof fakeSensorSchema>;

/** Whether a value is meant as a wave: its `wave` names a shape. Otherwise it is a reading with that name. */
export function isWaveLike(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return 'wave' in value && typeof value.wave === 'string';
}

/** The problems of the waves in `readings`. */
export function checkFakeSensor(attributes: FakeSensorAttributes): AttributeProblem[] {
  const problems: AttributeProblem[] = [];
  const visit = (value: unknown, pointer: string): void => {
    if (isWaveLike(value)) problems.push(...waveProblems(value, pointer));
    else if (Array.isArray(value)) value.forEach((item, index) => visit(item, `${pointer}/${index}`));
    else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        visit(item, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
      }
    }
  };
  visit(attributes.readings, '/readings');
  return problems;
}

function waveProblems(wave: Record<string, unknown>, pointer: string): AttributeProblem[] {
  const problems: AttributeProblem[] = [];
  const { wave: shape, period_ms: period, min, max } = wave;
  if (!waveShapes.some((known) => known === shape)) {
    problems.push(
      attributeError(
        `${pointer}/wave`,
        'attribute.not_allowed',
        `"wave" is ${JSON.stringify(shape)}; allowed are ${waveShapes.join(', ')}.`,
      ),
    );
  }
  if (period !== undefined && !(typeof period === 'number' && period > 0)) {
    problems.push(
      attributeError(
        `${pointer}/period_ms`,
        'attribute.out_of_range',
        `"period_ms" is ${JSON.stringify(period)}; allowed is a number above 0.`,
      ),
    );
  }
  for (const [key, value] of [
    ['min', min],
    ['max', max],
  ] as const) {
    if (value !== undefined && typeof value !== 'number') {
      problems.push(
        attributeError(
          `${pointer}/${key}`,
          'attribute.type',
          `"${key}" of a wave is ${JSON.stringify(value)}; allowed is a number.`,
        ),
      );
    }
  }
  for (const key of Object.keys(wave)) {
    if (!['wave', 'period_ms', 'min', 'max'].includes(key)) {
      problems.push(
        attributeError(
          `${pointer}/${key}`,
          'attribute.unknown',
          `A wave has no "${key}": remove it, or use wave, period_ms, min or max.`,
        ),
      );
    }
  }
  return problems;
}

export const model: ModelSchema = {
  api: 'core:component:sensor',
  model: 'core:builtin:fake',
  order: 52,
  summary: 'A sensor without hardware: fixed readings and waves',
  mayCoexist: true,
  schema: fakeSensorSchema,
  check: checkFakeSensor,
};
