import type { JsonSchema } from '../schema/json-schema.ts';
import { captureMethodsOf } from './capture-methods.ts';
import { captureMethodSchema } from './capture-schema.ts';

/** The schema of `capture_methods` for resources of one API: with the methods that it has, and their parameters. */
export function captureFormSchema(api: string): JsonSchema {
  const methods = captureMethodsOf(api);
  const { method, additional_params: parameters, ...others } = captureMethodSchema.properties;
  // A command has any form: where it is the only parameter, all of them are JSON.
  const named = methods
    .filter(({ rpc }) => rpc !== 'doCommand')
    .flatMap(({ name: of, parameters: own }) =>
      own.map(({ name, what }): [string, JsonSchema] => [
        name,
        { type: 'string', title: name, description: `Of ${of}: ${what}.` },
      ]),
    );
  return {
    type: 'array',
    title: 'Data capture',
    description: 'What of it is captured, and how often.',
    items: {
      ...captureMethodSchema,
      title: 'Capture',
      'x-initial': ['capture_frequency_hz'],
      properties: {
        method: { ...method, enum: methods.map(({ name }) => name), default: methods[0]?.name },
        capture_frequency_hz: { ...others.capture_frequency_hz, default: 1 },
        additional_params: { ...parameters, ...(named.length > 0 ? { properties: Object.fromEntries(named) } : {}) },
        ...without(others, 'capture_frequency_hz'),
      },
    },
  };
}

function without(all: Readonly<Record<string, JsonSchema>>, key: string): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => name !== key));
}
