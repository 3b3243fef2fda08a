import { model as component } from '../generic-fake/schema.ts';
import type { ModelSchema } from '../../../../proto/config/models/model-schema.ts';

/** The same as a service. */
export const model: ModelSchema = { ...component, api: 'core:service:generic', order: 61 };
