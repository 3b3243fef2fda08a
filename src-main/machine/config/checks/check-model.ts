import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import { nodeAt, type JsonNode } from '../../../../proto/config/text/json-text.ts';
import { nearest } from '../../../../proto/config/nearest.ts';
import type { SchemaProblem } from '../../../../proto/config/schema/schema-words.ts';
import { toArmatureError } from '../../../base/errors.ts';
import type { ModelCatalog } from '../../catalog/catalog-type.ts';
import type { CatalogEntry } from '../../catalog/model.ts';
import type { ModuleConfig } from '../machine-config.ts';
import { NearNames } from './near-names.ts';
import { hasError, type Finding } from '../problem-list.ts';
import type { ResourceEntry } from '../reading/read-resource.ts';
import { placeIn, schemaFinding, type Place } from './schema-finding.ts';
import { schemaProblems } from './schema-problems.ts';

/** Most module ids listed in a problem. */
const MAX_IDS_SHOWN = 20;

/** Checks the model of one entry, and its attributes if the model is in the catalog. `root` is the document. */
export function checkModel(
  entry: ResourceEntry,
  root: JsonNode,
  providers: ModelProviders,
  catalog: ModelCatalog,
): void {
  const { api, model } = entry.config;
  const description = catalog.find(api, model);
  if (description !== undefined) {
    checkAttributes(entry, root, description);
    return;
  }
  // An unusable model was reported already.
  if (model.split(':').length !== 3) return;
  if (model.startsWith('core:')) reportUnknownModel(entry, root, catalog);
  else checkProvider(entry, root, providers);
}

function reportUnknownModel(entry: ResourceEntry, root: JsonNode, catalog: ModelCatalog): void {
  const { config, label, sink } = entry;
  const { api, model } = config;
  const models = catalog
    .entries()
    .filter((one) => one.api === api)
    .map((one) => shortModel(one.model))
    .toSorted();
  if (models.length === 0) {
    const allowed = catalog.apis();
    const guess = nearApi(api, allowed);
    sink.report({
      ...written(entry, root, 'api'),
      severity: 'error',
      code: 'config.unknown_api',
      message: `${label}: nothing that is built in has the API ${api}${hint(guess)}; a module may bring a model for it.`,
      allowed,
      nearest: guess,
    });
    return;
  }
  const guess = nearest(shortModel(model), models);
  sink.report({
    ...written(entry, root, 'model'),
    severity: 'error',
    code: 'config.unknown_model',
    message: `${label}: there is no model ${shortModel(model)} for ${api}${hint(guess)}; there are ${models.join(', ')}.`,
    allowed: models,
    nearest: guess,
  });
}

/** Compares only the last word: most models share the rest, which makes any two look similar. */
function nearApi(api: string, allowed: readonly string[]): string | undefined {
  const prefix = api.slice(0, api.length - lastPart(api).length);
  const words = allowed.filter((one) => one === prefix + lastPart(one)).map(lastPart);
  const guess = nearest(lastPart(api), words);
  return guess === undefined ? undefined : prefix + guess;
}

/** The modules of a document, by the models they may provide. */
export class ModelProviders {
  readonly #byId = new Map<string, ModuleConfig>();
  /** A local module without an id may provide any model. */
  readonly #unnamed: ModuleConfig | undefined;
  readonly #guesses: NearNames;
  /** Some of the ids, as examples. */
  readonly ids: readonly string[];

  constructor(modules: readonly ModuleConfig[]) {
    for (const module of modules) {
      const known = this.#byId.get(module.moduleId);
      if (module.moduleId !== '' && known?.isDisabled !== false) this.#byId.set(module.moduleId, module);
    }
    this.#unnamed = modules.find((one) => one.moduleId === '' && one.type === 'local' && !one.isDisabled);
    this.#guesses = new NearNames(this.#byId.keys());
    this.ids = [...this.#byId.keys()].slice(0, MAX_IDS_SHOWN);
  }

  /** The module that provides a model; preferably one that is not disabled. */
  find(moduleId: string): ModuleConfig | undefined {
    const named = this.#byId.get(moduleId);
    return named?.isDisabled === false ? named : (this.#unnamed ?? named);
  }

  near(moduleId: string): string | undefined {
    return this.#guesses.near(moduleId);
  }
}

/** A model of a module: the resource waits until a configured module provides it. */
function checkProvider(entry: ResourceEntry, root: JsonNode, providers: ModelProviders): void {
  const { config, label, sink } = entry;
  const moduleId = config.model.split(':').slice(0, 2).join(':');
  const provider = providers.find(moduleId);
  const model = written(entry, root, 'model');
  if (provider === undefined) {
    const guess = providers.near(moduleId);
    sink.report({
      ...model,
      severity: 'warning',
      code: 'config.no_module',
      message: `${label} waits for a module: none has the module_id ${moduleId}${hint(guess)}; add it to "modules".`,
      allowed: providers.ids,
      nearest: guess,
    });
  } else if (provider.isDisabled) {
    const message = `${label} waits for the module ${provider.name}, which is disabled.`;
    sink.report({ ...model, severity: 'warning', code: 'config.module_disabled', message });
  }
  if (config.logLevel !== undefined) {
    sink.report({
      pointer: entry.pointerOf('log_configuration'),
      severity: 'warning',
      code: 'log.modular_level',
      message: `${label}: the level is passed on to its module, which may not heed it; "log_level" of the module always counts.`,
    });
  }
}

/** The place of a key of the entry, and its value in the document. */
function written(entry: ResourceEntry, root: JsonNode, key: 'api' | 'model'): Pick<Finding, 'pointer' | 'found'> {
  const pointer = entry.pointerOf(key);
  return { pointer, found: pointer === entry.config.pointer ? undefined : nodeAt(root, pointer)?.value };
}

function checkAttributes(entry: ResourceEntry, root: JsonNode, description: CatalogEntry): void {
  const { config, sink, label } = entry;
  try {
    for (const problem of schemaProblems(description.schema, config.attributes)) report(entry, root, problem);
    if (hasError(config.problems)) return;
    description.dependencies?.(config.attributes);
    for (const problem of description.check?.(config.attributes) ?? []) {
      const place = placeOf(root, entry, problem.pointer);
      sink.report({
        ...place,
        severity: problem.severity,
        code: problem.code,
        message: `${label}: ${problem.message}`,
        found: nodeAt(root, place.pointer)?.value,
        nearest: problem.nearest,
      });
    }
  } catch (thrown) {
    // An error in a model's own rules must not fail the rest of the document.
    sink.report({
      pointer: entry.attributesPointer,
      severity: 'error',
      code: 'internal.bug',
      message: `${label}: the rules of model ${config.model} failed: ${toArmatureError(thrown).message}. Please report this.`,
    });
  }
}

function report(entry: ResourceEntry, root: JsonNode, problem: SchemaProblem): void {
  entry.sink.report(schemaFinding(problem, entry.label, root, placeOf(root, entry, problem.pointer).pointer));
}

/** The place of an attribute in the document; `relative` may name one that is not there. */
function placeOf(root: JsonNode, { attributesPointer, config }: ResourceEntry, relative: string): Place {
  const hasAttributes = attributesPointer !== config.pointer;
  return placeIn(root, (hasAttributes ? attributesPointer : joinPointer(config.pointer, 'attributes')) + relative);
}

/** A built-in model as people write it: one word. */
function shortModel(model: string): string {
  return model.startsWith('core:builtin:') ? lastPart(model) : model;
}

function lastPart(triplet: string): string {
  return triplet.slice(triplet.lastIndexOf(':') + 1);
}

function hint(guess: string | undefined): string {
  return guess === undefined ? '' : ` (did you mean ${guess}?)`;
}
