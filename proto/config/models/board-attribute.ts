import type { JsonSchema } from '../schema/json-schema.ts';

/** The attribute `board` of a model that is wired to one. @param description a sentence for the form */
export function boardAttribute(description: string) {
  return {
    type: 'string',
    minLength: 1,
    title: 'Board',
    description,
    'x-resource': 'core:component:board',
    'x-columns': 2,
  } as const satisfies JsonSchema;
}
