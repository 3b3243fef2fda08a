import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import type { ModelSummary } from '../../../../proto/config/models/model-schema.ts';
import { builtinModels } from '../../../shared/builtin-models.ts';
import { modelLabel, subtypeOf } from '../../../shared/machine/rpc/status-merge.ts';
import type { DocumentEntry, DocumentModel, Section } from '../document/document-model.ts';
import { initialAttributes } from '../form/initial-attributes.ts';

/** A built-in model that can be added. */
export interface ModelChoice extends ModelSummary {
  readonly kind: 'builtin';
  /** `motor.gpio`, `service.generic.fake`: different for the generic component and the generic service. */
  readonly id: string;
  readonly section: Section;
  /** `motor`. */
  readonly subtype: string;
  /** `gpio`. */
  readonly label: string;
  readonly needs: readonly ModelNeed[];
}

/** An attribute that names another resource. */
export interface ModelNeed {
  /** Key of the attribute: `board`. */
  readonly key: string;
  /** `core:component:board`. */
  readonly api: string;
  readonly subtype: string;
  readonly isRequired: boolean;
}

export const modelChoices: readonly ModelChoice[] = builtinModels.map((summary) => {
  const subtype = subtypeOf(summary.api);
  const label = modelLabel(summary.model);
  const isService = summary.api.includes(':service:');
  return {
    ...summary,
    kind: 'builtin',
    id: [...(isService ? ['service'] : []), subtype, label].join('.'),
    section: isService ? 'services' : 'components',
    subtype,
    label,
    needs: needsOf(summary.schema),
  };
});

function needsOf({ properties = {}, required = [] }: JsonSchema): ModelNeed[] {
  return Object.entries(properties).flatMap(([key, { 'x-resource': api }]) =>
    api === undefined ? [] : [{ key, api, subtype: subtypeOf(api), isRequired: required.includes(key) }],
  );
}

/** The models that match all words of a text, by API; APIs whose name matches come first. */
export function foundChoices(text: string): readonly (readonly [title: string, choices: readonly ModelChoice[]])[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, ModelChoice[]>();
  for (const choice of modelChoices) {
    const haystack = `${choice.subtype} ${choice.label} ${choice.section} ${choice.summary}`.toLowerCase();
    if (!words.every((word) => haystack.includes(word))) continue;
    groups.set(choice.api, [...(groups.get(choice.api) ?? []), choice]);
  }
  const isNamed = ([first]: readonly ModelChoice[]): boolean =>
    first !== undefined && words.some((word) => first.subtype.startsWith(word));
  return [...groups].sort(([, left], [, right]) => Number(isNamed(right)) - Number(isNamed(left)));
}

/** The entries that an attribute for this API may name. */
export function candidatesFor(model: DocumentModel, api: string): readonly DocumentEntry[] {
  return model.entries.filter((entry) => entry.api === api && entry.name !== '');
}

/** The entry to write for a new resource. */
export function newEntry(choice: ModelChoice, name: string, model: DocumentModel): Record<string, unknown> {
  const namesOf = (api: string): string[] => candidatesFor(model, api).map((entry) => entry.name);
  return { name, api: choice.api, model: choice.label, attributes: initialAttributes(choice.schema, namesOf) };
}
