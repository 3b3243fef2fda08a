import { joinPointer, valueAt } from './text/json-pointer.ts';
import type { JsonSchema } from './schema/json-schema.ts';
import type { JsonValue } from './text/json-text.ts';
import { canonicalApi, parseTriplet } from './names.ts';
import { plainProblems } from './schema/plain-problems.ts';
import { attributeName, type SchemaProblem } from './schema/schema-words.ts';

/** The description that a module's package has at its top. */
export const META_FILE = 'meta.json';
/** Larger ones are not read. */
export const LARGEST_META_BYTES = 1024 * 1024;

/** What a machine reads of it; paths are within the package. */
export interface ProgramMeta {
  readonly module_id?: string;
  readonly entrypoint: string;
  /** A program that is run once before the first start of each version. */
  readonly first_run?: string | null;
}

/** What publishers and registries read of it. */
export interface ModuleMeta extends ProgramMeta {
  /** `namespace:name`. */
  readonly module_id: string;
  readonly visibility?: 'private' | 'public' | 'public_unlisted' | null;
  readonly url?: string | null;
  readonly description?: string | null;
  readonly models?: readonly MetaModel[] | null;
  /** A Markdown file of the package, perhaps with `#section`, or an address. */
  readonly markdown_link?: string | null;
  /** For tools, in whatever form. */
  readonly build?: unknown;
}

export interface MetaModel {
  /** A triplet in our spelling, whichever the file has. */
  readonly api: string;
  /** A triplet. */
  readonly model: string;
  readonly short_description?: string | null;
  readonly markdown_link?: string | null;
}

/**
 * What was read; or what is wrong, at least one sentence, each without its full stop: `meta.json: module_id is
 * "weather"; write namespace:name, as in acme:weather`.
 */
export type MetaResult<T> = { readonly meta: T } | { readonly problems: readonly string[] };

const text = { type: ['string', 'null'] } as const;
const entrypoint = { type: 'string', minLength: 1, maxLength: 1_000 } as const;
const first_run = { ...text, maxLength: 1_000 };

/** Other keys (`build`, `applications`, `$schema`) are for tools and may be anything. */
const moduleSchema: JsonSchema = {
  type: 'object',
  required: ['module_id', 'entrypoint'],
  properties: {
    module_id: { type: 'string', maxLength: 250, pattern: '^[a-zA-Z0-9][\\w-]*:[a-zA-Z0-9][\\w-]*$' },
    visibility: { enum: ['private', 'public', 'public_unlisted', null] },
    url: { ...text, maxLength: 2_000 },
    description: { ...text, maxLength: 10_000 },
    models: {
      type: ['array', 'null'],
      items: {
        type: 'object',
        required: ['api', 'model'],
        properties: {
          api: { type: 'string', maxLength: 250 },
          model: { type: 'string', maxLength: 250 },
          short_description: { ...text, maxLength: 10_000 },
          markdown_link: { ...text, maxLength: 2_000 },
        },
      },
    },
    entrypoint,
    first_run,
    markdown_link: { ...text, maxLength: 2_000 },
  },
};

/** All that a machine needs; the rest of the file is for publishers and registries. */
const programSchema: JsonSchema = {
  type: 'object',
  required: ['entrypoint'],
  properties: { module_id: { type: 'string' }, entrypoint, first_run },
};

const LONGEST_VALUE_SHOWN = 80;

/**
 * Reads all of a description, as publishers and registries do.
 * @param file for the sentences
 */
export function readModuleMeta(json: string, file: string): MetaResult<ModuleMeta> {
  const read = readBy<ModuleMeta>(moduleSchema, json, file, misnamed);
  if ('problems' in read || read.meta.models == null) return read;
  const models = read.meta.models.map((one) => ({ ...one, api: canonicalApi(one.api) ?? one.api }));
  return { meta: { ...read.meta, models } };
}

/**
 * Reads only what a machine needs; the rest of the file may be anything.
 * @param file for the sentences
 */
export function readProgramMeta(json: string, file: string): MetaResult<ProgramMeta> {
  return readBy<ProgramMeta>(programSchema, json, file, () => []);
}

type Wrong = Pick<SchemaProblem, 'pointer' | 'rule' | 'missing'>;

/** @param more rules that a schema cannot express; checked only if the schema finds no problem */
function readBy<T>(schema: JsonSchema, json: string, file: string, more: (meta: T) => readonly Wrong[]): MetaResult<T> {
  let value: JsonValue;
  try {
    value = JSON.parse(json.replace(/^\uFEFF/, '')) as JsonValue;
  } catch (thrown) {
    return { problems: [`${file}: it is no JSON (${(thrown as SyntaxError).message})`] };
  }
  const bySchema = plainProblems(schema, value).map((problem) => {
    // The other rules already say what to write.
    const isForm = /missing|bad_form|too_short/.test(problem.code);
    return isForm ? { ...problem, rule: nextStep(problem.missing ?? problem.pointer) } : problem;
  });
  const problems = bySchema.length > 0 ? bySchema : more(value as T);
  return problems.length === 0 ? { meta: value as T } : { problems: problems.map((one) => tell(file, value, one)) };
}

function misnamed({ entrypoint, models }: ModuleMeta): readonly Wrong[] {
  const wrong = (pointer: string): Wrong => ({ pointer, rule: nextStep(pointer) });
  return [
    ...(isInside(entrypoint) ? [] : [wrong('/entrypoint')]),
    ...(models ?? []).flatMap(({ api, model }, index) => [
      ...(canonicalApi(api) === undefined ? [wrong(`/models/${index}/api`)] : []),
      ...(parseTriplet(model) === undefined ? [wrong(`/models/${index}/model`)] : []),
    ]),
  ];
}

/** What to write for a key that has a form of its own. */
function nextStep(pointer: string): string {
  const key = pointer.slice(pointer.lastIndexOf('/') + 1);
  if (key === 'module_id') return 'write namespace:name, as in acme:weather';
  if (key === 'entrypoint') return 'name the program of the package, relative to its top';
  return `write a triplet, as in ${key === 'api' ? 'core:component:sensor' : 'acme:weather:thermometer'}`;
}

/** Whether a path leads to something below where it starts. */
function isInside(path: string): boolean {
  let depth = 0;
  for (const step of path.split('/')) {
    if (step === '..') depth--;
    else if (step !== '' && step !== '.') depth++;
    if (depth < 0) return false;
  }
  return depth > 0 && !path.startsWith('/');
}

function tell(file: string, value: JsonValue, { pointer, rule, missing }: Wrong): string {
  const key = attributeName(missing === undefined ? pointer : joinPointer(pointer, missing));
  const found = missing === undefined ? JSON.stringify(valueAt(value, pointer)) : 'missing';
  const shown = found.length > LONGEST_VALUE_SHOWN ? `${found.slice(0, LONGEST_VALUE_SHOWN)}...` : found;
  return `${file}: ${key === '' ? 'it' : key} is ${shown}; ${rule}`;
}
