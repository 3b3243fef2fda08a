import { describe, expect, it } from 'vitest';
import type { Command } from '../../shared/commands/command.ts';
import { paletteSections } from './palette-list.ts';

const command = (id: string, title: string, group: Command['group'], more: Partial<Command> = {}): Command => ({
  id,
  title,
  group,
  run: () => undefined,
  ...more,
});
const commands = [
  command('s.dark', 'Theme: Dark', 'setting'),
  command('go.control', 'Go to Control', 'go'),
  command('a.save', 'Apply', 'action'),
  command('a.undo', 'Undo', 'action', { isEnabled: false }),
  ...Array.from({ length: 40 }, (_, index) => command(`r.${index}`, `motor-${index}: open in Control`, 'resource')),
];
const shown = (typed: string, recent: readonly string[] = []) =>
  paletteSections(commands, typed, recent).map(({ name, commands: listed }) => [name, ...listed.map(({ id }) => id)]);

describe('the palette', () => {
  it('starts with the recent commands, then lists the others by group, each once', () => {
    const sections = shown('', ['s.dark', 'gone', 'r.7']);
    expect(sections.map(([name]) => name)).toEqual(['recent', 'go', 'action', 'resource']);
    expect(sections[0]).toEqual(['recent', 's.dark', 'r.7']);
    expect(sections[2]).toEqual(['action', 'a.save']);
    expect(sections[3]).toHaveLength(10);
    expect(sections.flat().filter((id) => id === 'r.7')).toHaveLength(1);
  });

  it('lists what matches the typed words; of equal matches, recent commands come first', () => {
    expect(shown('motor-1 control')[0]?.slice(0, 2)).toEqual(['found', 'r.1']);
    expect(shown('motor control', ['r.30'])[0]?.[1]).toBe('r.30');
    expect(shown('dark')).toEqual([['found', 's.dark']]);
  });

  it('does not list a disabled command', () => {
    expect(shown('undo')).toEqual([]);
  });
});
