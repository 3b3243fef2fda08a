import { isTyped, normalChord } from './chords.ts';

/** Chords that a person chose, by the id of the command; '' for none. */
export type ChosenChords = Readonly<Record<string, string>>;

interface Keyed {
  readonly id: string;
  readonly keys?: string;
}

/** The screen that a command belongs to: `configure.save` -> `configure`. The shell's are everywhere. */
export function scopeOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('.')));
}

const everywhere = 'shell';

/** The chord that a command has now; '' for none. */
export function chordFor(command: Keyed, chosen: ChosenChords): string {
  return chosen[command.id] ?? normalChord(command.keys ?? '') ?? '';
}

/** Another command that has the chord where this one has it too: of the same screen, or one of the two everywhere. */
export function conflictOf<Item extends Keyed>(
  commands: Iterable<Item>,
  id: string,
  chord: string,
  chosen: ChosenChords,
): Item | undefined {
  const scope = scopeOf(id);
  for (const other of commands) {
    if (other.id === id || chord === '' || chordFor(other, chosen) !== chord) continue;
    const otherScope = scopeOf(other.id);
    if (otherScope === scope || otherScope === everywhere || scope === everywhere) return other;
  }
  return undefined;
}

const stopping = new Set(['Escape', 'Space']);
const moving = /^(?:Shift\+)?(?:Tab|Enter|Arrow\w+|Home|End|PageUp|PageDown|Backspace|Delete)$/;
/** What browsers keep for themselves, whatever a page does. */
const browsers = new Set(['Mod+N', 'Mod+T', 'Mod+W', 'Mod+Q', 'Mod+Shift+N', 'Mod+Shift+T', 'Mod+Shift+W']);

/** Why nobody may give this chord to a command; undefined where one may. */
export function whyReserved(chord: string): 'stop' | 'moving' | 'browser' | undefined {
  const key = chord.split('+').at(-1) ?? '';
  // With other keys held too: a hand that reaches for Stop may rest on them.
  if (stopping.has(key)) return 'stop';
  if (moving.test(chord)) return 'moving';
  return browsers.has(chord) ? 'browser' : undefined;
}

/** Whether a chord runs its command while a text is being typed. One that types something never does. */
export function runsWhileTyping(chord: string, wants: boolean | undefined): boolean {
  return wants === true && !isTyped(chord);
}

/** The kept choice, without what is no chord: another version may have written it, or a hand. */
export function chosenFrom(text: string | null): ChosenChords {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? '{}');
  } catch {
    return {};
  }
  if (typeof kept !== 'object' || kept === null) return {};
  const chosen = Object.entries(kept).flatMap(([id, chord]): [string, string][] => {
    if (typeof chord !== 'string') return [];
    if (chord === '') return [[id, '']];
    const normal = normalChord(chord);
    return normal === undefined || whyReserved(normal) !== undefined ? [] : [[id, normal]];
  });
  return Object.fromEntries(chosen);
}
