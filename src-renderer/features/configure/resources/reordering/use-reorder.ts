import { useRoute, useRouter } from 'vue-router';
import { useText } from '../../../../shared/text.ts';
import { useConfigDocument } from '../../document/config-document.ts';
import type { DocumentEntry } from '../../document/document-model.ts';
import { usePageNote } from '../../page-note.ts';
import { resourceRoute } from '../entry-address.ts';
import { useResources } from '../resource-overview.ts';

/** Moves entries within their sections of the text, and says where they are then. */
export function useReorder() {
  const t = useText();
  const route = useRoute();
  const router = useRouter();
  const config = useConfigDocument();
  const resources = useResources();
  const note = usePageNote();

  const ofSection = (section: DocumentEntry['section']): readonly DocumentEntry[] =>
    config.model.entries.filter((entry) => entry.section === section);

  /**
   * Moves an entry to another index of its section; undefined says that it is at the end already.
   * @param step the direction of a step, for that sentence
   * @param group as in `moveEntry`
   */
  function move(entry: DocumentEntry, index: number | undefined, step: 1 | -1, group = ''): void {
    const { name, section } = entry;
    if (index === undefined) return note.say(t(step === 1 ? 'reordering.last' : 'reordering.first', { name }));
    const address = resources.addressOf(entry);
    config.moveEntry(entry, index, group);
    const all = ofSection(section);
    const moved = all.find((other) => other.index === index);
    if (moved === undefined) return;
    note.say(t('reordering.moved', { name, place: all.indexOf(moved) + 1, count: all.length }));
    // The address of an entry without a name of its own is its place.
    const next = resources.addressOf(moved);
    if (next !== address && route.params['name'] === address) {
      void router.replace(resourceRoute(next, route.query['view'] === 'json'));
    }
  }

  return {
    move,
    /** Moves an entry one step up (-1) or down (1). */
    moveStep(entry: DocumentEntry, step: 1 | -1): void {
      const all = ofSection(entry.section);
      const at = all.findIndex(({ pointer }) => pointer === entry.pointer);
      move(entry, all[at + step]?.index, step);
    },
  };
}
