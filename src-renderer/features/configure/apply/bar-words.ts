import type { Problem } from '../../../shared/machine/machine-view.ts';
import type { Text } from '../../../shared/text.ts';
import type { DocumentEntry, DocumentModel } from '../document/document-model.ts';

/** Places named in the bar; the list of problems has the rest. */
const mostPlaces = 3;

/** What of the document tells what changed. */
interface Changes {
  readonly model: DocumentModel;
  readonly removedEntries: readonly DocumentEntry[];
  readonly changeOf: (fullName: string) => 'added' | 'changed' | undefined;
}

/** What the draft changes, as far as the text alone tells: shown while there is no plan of the machine. */
export function changesWithoutPlan({ model, removedEntries, changeOf }: Changes, text: Text): string {
  const names = [...model.entries.filter(({ fullName }) => changeOf(fullName) !== undefined), ...removedEntries].map(
    ({ name }) => name,
  );
  const [first = ''] = names;
  if (names.length === 0) return text('bar.changed');
  return text('bar.changedResources', { count: names.length, name: first });
}

/** The keys that problems are about, each once: `max_power_pct, board`. */
export function problemPlaces(problems: readonly Problem[], text: Text): string {
  const places = new Set(problems.map(({ pointer, line }) => keyOf(pointer) ?? text('problems.place', { line })));
  const shown = [...places].slice(0, mostPlaces).join(', ');
  return places.size > mostPlaces ? `${shown}, …` : shown;
}

/** The last name in a pointer: positions in lists say nothing to a person. */
function keyOf(pointer: string): string | undefined {
  return pointer.split('/').findLast((step) => step !== '' && !/^\d+$/.test(step));
}
