import type { RouteLocationRaw } from 'vue-router';
import type { ModelSchema } from '../../../../proto/config/models/model-schema.ts';
import { builtinModels } from '../../../shared/builtin-models.ts';

/** Name of the route of the help. */
export const helpRouteName = 'help';

/**
 * The name of a model's page in addresses: `gpio-motor`, `fake-generic-service`. It is part of links that people keep,
 * so it depends on the model alone.
 */
export function pageNameOf({ api, model }: Pick<ModelSchema, 'api' | 'model'>): string {
  const [, kind = '', subtype = ''] = api.split(':');
  const own = model.split(':').at(-1) ?? model;
  return kind === 'service' ? `${own}-${subtype}-service` : `${own}-${subtype}`;
}

/** The model of a page; undefined if there is no such page. */
export function modelOfPage(name: string): ModelSchema | undefined {
  return builtinModels.find((model) => pageNameOf(model) === name);
}

/** An attribute by its keys, without positions in lists: `pins.dir`, `analogs.pin`. */
export function attributeName(steps: readonly (string | number)[]): string {
  return steps.filter((step) => typeof step === 'string').join('.');
}

/** The page of a model, at an attribute. @param attribute its name; '' is the top of the page */
export function helpRoute(model: Pick<ModelSchema, 'api' | 'model'>, attribute = ''): RouteLocationRaw {
  return { name: helpRouteName, params: { model: pageNameOf(model), attribute } };
}
