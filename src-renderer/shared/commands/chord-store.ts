import { defineStore } from 'pinia';
import { computed, shallowReactive, shallowRef, watch } from 'vue';
import { keepText, keptText } from '../kept-text.ts';
import { chordFor, chosenFrom, conflictOf, whyReserved, type ChosenChords } from './chord-rules.ts';
import { shownChord } from './chords.ts';
import type { Command } from './command.ts';
import { useCommandList } from './commands.ts';

const storageKey = 'armature.chords';

/** The result of assigning a chord. */
export type Assignment =
  | { readonly kind: 'done' }
  | { readonly kind: 'reserved'; readonly why: 'stop' | 'moving' | 'browser' }
  | { readonly kind: 'taken'; readonly by: Pick<Command, 'id' | 'title'> };

/** The chords of commands, with the choices made in this browser. */
export const useChords = defineStore('chords', () => {
  const list = useCommandList();
  const chosen = shallowRef<ChosenChords>(chosenFrom(keptText(() => localStorage, storageKey)));
  /** All commands since the page opened: a screen that is not shown still has its chords. */
  const known = shallowReactive(new Map<string, Pick<Command, 'id' | 'title' | 'keys'>>());
  watch(
    () => list.commands,
    (commands) => {
      for (const { id, title, keys } of commands) known.set(id, { id, title, ...(keys === undefined ? {} : { keys }) });
    },
    { immediate: true },
  );

  function choose(next: ChosenChords): void {
    chosen.value = next;
    const isDefault = Object.keys(next).length === 0;
    keepText(() => localStorage, storageKey, isDefault ? null : JSON.stringify(next));
  }

  /** Gives a chord to a command. If another command has it: refuses, or with `takes` removes it from the other. */
  function assign(id: string, chord: string, takes = false): Assignment {
    const why = whyReserved(chord);
    if (why !== undefined) return { kind: 'reserved', why };
    let next = chosen.value;
    for (;;) {
      const by = conflictOf(known.values(), id, chord, next);
      if (by === undefined) break;
      if (!takes) return { kind: 'taken', by };
      next = { ...next, [by.id]: '' };
    }
    choose({ ...next, [id]: chord });
    return { kind: 'done' };
  }

  /** Back to the default, unless another command has it now. */
  function reset(id: string): Assignment {
    const { [id]: _, ...rest } = chosen.value;
    const command = known.get(id);
    const by = command && conflictOf(known.values(), id, chordFor(command, rest), rest);
    if (by !== undefined) return { kind: 'taken', by };
    choose(rest);
    return { kind: 'done' };
  }

  return {
    known,
    chordOf: (command: Pick<Command, 'id' | 'keys'>) => chordFor(command, chosen.value),
    /** The chord of a command in key labels, '' for none; for buttons and menus that do the same. */
    shown: (id: string) => {
      const command = known.get(id);
      const chord = command === undefined ? '' : chordFor(command, chosen.value);
      return chord === '' ? '' : shownChord(chord);
    },
    conflict: (command: Pick<Command, 'id' | 'keys'>) =>
      conflictOf(known.values(), command.id, chordFor(command, chosen.value), chosen.value),
    isChanged: (id: string) => id in chosen.value,
    hasChanges: computed(() => Object.keys(chosen.value).length > 0),
    assign,
    reset,
    resetAll: () => choose({}),
  };
});
