import { isTyped, normalChord } from './chords.ts';

/** Chords that a person chose, by the id of the command; '' if the person removed the chord. */
export type ChosenChords = Readonly<Record<string, string>>;

interface Keyed {
  readonly id: string;
  readonly keys?: string;
}

/** The screen that a command belongs to: `configure.save` -> `configure`. Those of `shell` are on every screen. */
export function scopeOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('.')));
}

const everywhere = 'shell';

/** The chord that a command has now; '' for none. */
export function chordFor(command: Keyed, chosen: ChosenChords): string {
  return chosen[command.id] ?? normalChord(command.keys ?? '') ?? '';
}

/** Another command with the chord that conflicts: on the same screen, or one of the two is on every screen. */
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
/** Chords that browsers do not leave to a page. */
const browsers = new Set(['Mod+N', 'Mod+T', 'Mod+W', 'Mod+Q', 'Mod+Shift+N', 'Mod+Shift+T', 'Mod+Shift+W']);

/** Why this chord cannot be given to a command; undefined if it can. */
export function whyReserved(chord: string): 'stop' | 'moving' | 'browser' | undefined {
  const key = chord.split('+').at(-1) ?? '';
  // Also with modifier keys: a hand that reaches for Stop may rest on them.
  if (stopping.has(key)) return 'stop';
  if (moving.test(chord)) return 'moving';
  return browsers.has(chord) ? 'browser' : undefined;
}

/** Whether a chord runs its command in a text field. A chord that types something never does. */
export function runsWhileTyping(chord: string, wants: boolean | undefined): boolean {
  return wants === true && !isTyped(chord);
}

/** Reads the stored choice. Ignores invalid chords: another version, or a person, may have written them. */
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
