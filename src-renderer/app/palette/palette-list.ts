import type { Command } from '../../shared/commands/command.ts';
import { fuzzyScore } from '../../shared/commands/fuzzy.ts';

export interface PaletteSection {
  readonly name: 'found' | 'recent' | Command['group'];
  readonly commands: readonly Command[];
}

/** Nobody reads more lines than this. */
const MAX_FOUND = 50;
const MAX_RECENT = 5;
const recentBonus = 0.5;
const order = ['go', 'action', 'resource', 'setting'] as const;

/**
 * What the palette lists. Without text: the recent commands, then the others by group, of resources only the first
 * few. With text: the commands that match it, best first.
 */
export function paletteSections(
  commands: readonly Command[],
  typed: string,
  recentIds: readonly string[],
): readonly PaletteSection[] {
  const enabled = commands.filter(({ isEnabled }) => isEnabled !== false);
  const sections = typed.trim() === '' ? sectionsWithoutText(enabled, recentIds) : [found(enabled, typed, recentIds)];
  return sections.filter((section) => section.commands.length > 0);
}

function sectionsWithoutText(commands: readonly Command[], recentIds: readonly string[]): readonly PaletteSection[] {
  const recent = recentIds.flatMap((id) => commands.find((command) => command.id === id) ?? []).slice(0, MAX_RECENT);
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
  return { name: 'found', commands: scored.slice(0, MAX_FOUND).map(({ command }) => command) };
}
