import type { JsonSchema } from './json-schema.ts';

/** `meta.json` of a module's package (wire contract 3.4): what of it is read. */
export interface ModuleMeta {
  readonly module_id: string;
  readonly visibility?: 'private' | 'public' | 'public_unlisted';
  readonly url?: string | null;
  readonly description?: string | null;
  readonly models?: readonly MetaModel[] | null;
  /** The program, a path within the package. */
  readonly entrypoint: string;
  /** A program that is run once before the first start of each version. */
  readonly first_run?: string | null;
  /** A Markdown file of the package, perhaps with `#section`, or an address. */
  readonly markdown_link?: string | null;
}

export interface MetaModel {
  readonly api: string;
  readonly model: string;
  readonly short_description?: string | null;
  readonly markdown_link?: string | null;
}

const text = { type: ['string', 'null'] } as const;

/** Other keys (`build`, `applications`, `$schema`) are for tools and may be anything. */
export const moduleMetaSchema: JsonSchema = {
  type: 'object',
  required: ['module_id', 'entrypoint'],
  properties: {
    module_id: { type: 'string', minLength: 3, maxLength: 250 },
    visibility: { enum: ['private', 'public', 'public_unlisted'] },
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
    entrypoint: { type: 'string', minLength: 1, maxLength: 1_000 },
    first_run: { ...text, maxLength: 1_000 },
    markdown_link: { ...text, maxLength: 2_000 },
  },
};
