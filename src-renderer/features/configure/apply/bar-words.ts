import { placeOfProblem } from '../../../../proto/config/problem.ts';
import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import { pointerSteps } from '../../../../proto/config/text/json-pointer.ts';
import { findBuiltinModel } from '../../../shared/builtin-models.ts';
import type { Problem } from '../../../shared/machine/machine-view.ts';
import type { Text } from '../../../shared/text.ts';
import type { DocumentEntry, DocumentModel } from '../document/document-model.ts';

/** The bar names this many places; the list of problems has all. */
const MAX_PLACES = 3;

/** The part of the document store that holds the changes. */
interface Changes {
  readonly model: DocumentModel;
  readonly removedEntries: readonly DocumentEntry[];
  readonly changeOf: (fullName: string) => 'added' | 'changed' | undefined;
  readonly isReordered: boolean;
}

/** A summary of the draft's changes, from the text alone: shown while there is no plan from the machine. */
export function changesWithoutPlan(changes: Changes, text: Text): string {
  const names = changedNames(changes);
  const [first = ''] = names;
  if (names.length === 0) return text(changes.isReordered ? 'bar.reordered' : 'bar.changed');
  return text('bar.changedResources', { count: names.length, name: first });
}

/** Whether no entry differs, but their order does. */
export function isOnlyReordered(changes: Changes): boolean {
  return changes.isReordered && changedNames(changes).length === 0;
}

function changedNames({ model, removedEntries, changeOf }: Changes): readonly string[] {
  const changed = model.entries.filter(({ fullName }) => changeOf(fullName) !== undefined);
  return [...changed, ...removedEntries].map(({ name }) => name);
}

/** The fields that have problems, each once and by its label if it has one: `Channel A, board`. */
export function problemPlaces(problems: readonly Problem[], { entries }: DocumentModel, text: Text): string {
  const places = new Set(
    problems.map((problem) => {
      const place = placeOfProblem(problem);
      return labelAt(place, entries) ?? keyOf(place) ?? text('problems.place', { line: problem.line });
    }),
  );
  const shown = [...places].slice(0, MAX_PLACES).join(', ');
  return places.size > MAX_PLACES ? `${shown}, …` : shown;
}

/** The label of the field that a pointer leads to; undefined outside of the attributes of a built-in model. */
function labelAt(pointer: string, entries: readonly DocumentEntry[]): string | undefined {
  const [section, index, attributes, ...path] = pointerSteps(pointer) ?? [];
  const entry = entries.find((one) => one.section === section && String(one.index) === index);
  if (entry === undefined || attributes !== 'attributes') return undefined;
  let schema: JsonSchema | undefined = findBuiltinModel(entry.api, entry.model)?.schema;
  let label: string | undefined;
  for (const step of path) {
    schema = schema?.properties?.[step] ?? schema?.items;
    if (schema === undefined) return undefined;
    label = schema.title ?? label;
  }
  // What follows a comma explains it: "Max speed, no load".
  return label?.replace(/,.*/, '');
}

/** The last name in a pointer; positions in lists are skipped, because they tell a person nothing. */
function keyOf(pointer: string): string | undefined {
  return pointer.split('/').findLast((step) => step !== '' && !/^\d+$/.test(step));
}
