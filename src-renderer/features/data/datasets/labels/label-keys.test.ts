import { describe, expect, it } from 'vitest';
import shellCommands from '../../../../app/shell-commands.ts?raw';
import { pages } from '../../../../app/pages.ts';
import { normalChord } from '../../../../shared/commands/chords.ts';
import { digits } from './label-classes.ts';
import { boxStep, hideKey, labelCommands, pictureKeys } from './label-keys.ts';

/** Chords of the shell, which work on every screen. */
function shellChords(): string[] {
  const written = [...shellCommands.matchAll(/keys: '([^']+)'|goTo\(\w+|goTo\('\w+', '([^']+)'\)/g)];
  return [...written.flatMap(([, keys, going]) => keys ?? going ?? []), ...pages.map((_, index) => `Mod+${index + 1}`)];
}

describe('keys of the labelling screen', () => {
  const own = [
    ...Object.values(labelCommands),
    ...Array.from({ length: digits }, (_, index) => String(index + 1)),
    ...Object.values(pictureKeys).flat(),
    hideKey,
  ];

  it('are unique, and different from those of the shell', () => {
    const everywhere = shellChords();
    expect(everywhere).toEqual(expect.arrayContaining(['Mod+K', '?', 'Mod+6', 'Mod+1']));
    const all = [...own, ...everywhere];
    const twice = all.filter((chord, index) => all.indexOf(chord) !== index);
    expect(twice).toEqual([]);
  });

  it('are written in the normal form of chords', () => {
    for (const chord of own) expect(normalChord(chord), chord).toBe(chord);
  });

  it('of the picture are all recognized', () => {
    for (const chord of Object.values(pictureKeys).flat()) expect(boxStep(chord), chord).toBeDefined();
    expect(boxStep('ArrowLeft')).toEqual({ kind: 'move', dx: -1, dy: 0 });
    expect(boxStep('Shift+ArrowDown')).toEqual({ kind: 'move', dx: 0, dy: 10 });
    expect(boxStep('Alt+ArrowRight')).toEqual({ kind: 'resize', dx: 1, dy: 0 });
    expect(boxStep('Alt+Shift+ArrowUp')).toEqual({ kind: 'resize', dx: 0, dy: -10 });
    expect(boxStep('Mod+ArrowLeft')).toBeUndefined();
    expect(boxStep('Mod+Alt+ArrowLeft')).toBeUndefined();
    expect(boxStep('K')).toBeUndefined();
  });
});
