import type { Command } from '../../shared/commands/command.ts';
import { fuzzyScore } from '../../shared/commands/fuzzy.ts';

export interface PaletteSection {
  readonly name: 'found' | 'recent' | Command['group'];
  readonly commands: readonly Command[];
}

/** More lines than this are not read, only scrolled past. */
const mostFound = 50;
const mostRecent = 5;
const recentBonus = 0.5;
const order = ['go', 'action', 'resource', 'setting'] as const;

/**
 * What the palette lists. Before anything is typed: what was run lately, then everything by kind, of resources only
 * the first few. Then: what answers the typed words, best first.
 */
export function paletteSections(
  commands: readonly Command[],
  typed: string,
  recentIds: readonly string[],
): readonly PaletteSection[] {
  const enabled = commands.filter(({ isEnabled }) => isEnabled !== false);
  const sections = typed.trim() === '' ? unasked(enabled, recentIds) : [found(enabled, typed, recentIds)];
  return sections.filter((section) => section.commands.length > 0);
}

function unasked(commands: readonly Command[], recentIds: readonly string[]): readonly PaletteSection[] {
  const recent = recentIds.flatMap((id) => commands.find((command) => command.id === id) ?? []).slice(0, mostRecent);
  const rest = commands.filter((command) => !recent.includes(command));
  return [
    { name: 'recent', commands: recent },
    ...order.map((name): PaletteSection => {
      const ofKind = rest.filter(({ group }) => group === name);
      return { name, commands: name === 'resource' ? ofKind.slice(0, 9) : ofKind };
    }),
  ];
}

function found(commands: readonly Command[], typed: string, recentIds: readonly string[]): PaletteSection {
  const scored = commands.flatMap((command) => {
    const score = fuzzyScore(typed, command.title, command.detail);
    return score === undefined ? [] : [{ command, score: score + (recentIds.includes(command.id) ? recentBonus : 0) }];
  });
  scored.sort((a, b) => b.score - a.score);
  return { name: 'found', commands: scored.slice(0, mostFound).map(({ command }) => command) };
}
