import { describe, expect, it } from 'vitest';
import { chordFor, chosenFrom, conflictOf, runsWhileTyping, whyReserved } from './chord-rules.ts';

const commands = [
  { id: 'shell.palette', keys: 'Mod+K' },
  { id: 'configure.save', keys: 'mod+s' },
  { id: 'configure.find', keys: '/' },
  { id: 'logs.find', keys: '/' },
  { id: 'logs.pause' },
];

describe('the chord of a command', () => {
  it('is the chosen one, else the default in its normal form', () => {
    expect(chordFor({ id: 'configure.save', keys: 'mod+s' }, {})).toBe('Mod+S');
    expect(chordFor({ id: 'configure.save', keys: 'mod+s' }, { 'configure.save': 'F2' })).toBe('F2');
    expect(chordFor({ id: 'configure.save', keys: 'mod+s' }, { 'configure.save': '' })).toBe('');
  });

  it('conflicts with a command of the same screen, or with one of every screen', () => {
    expect(conflictOf(commands, 'configure.undo', 'Mod+S', {})?.id).toBe('configure.save');
    expect(conflictOf(commands, 'logs.pause', 'Mod+K', {})?.id).toBe('shell.palette');
    expect(conflictOf(commands, 'shell.palette', 'Mod+S', {})?.id).toBe('configure.save');
  });

  it('does not conflict with itself, with another screen, or with a default that was changed', () => {
    expect(conflictOf(commands, 'configure.find', '/', {})).toBeUndefined();
    expect(conflictOf(commands, 'logs.pause', 'Mod+S', {})).toBeUndefined();
    expect(conflictOf(commands, 'configure.undo', 'Mod+S', { 'configure.save': 'F2' })).toBeUndefined();
    expect(conflictOf(commands, 'configure.undo', 'F2', { 'configure.save': 'F2' })?.id).toBe('configure.save');
    expect(conflictOf(commands, 'configure.undo', '', { 'configure.save': '' })).toBeUndefined();
  });
});

describe('reserved chords', () => {
  it('stop the machine, move the focus or caret, or belong to the browser', () => {
    expect(['Escape', 'Space', 'Mod+Space', 'Shift+Escape'].map(whyReserved)).toEqual(['stop', 'stop', 'stop', 'stop']);
    expect(['Tab', 'Enter', 'ArrowDown'].map(whyReserved)).toEqual(['moving', 'moving', 'moving']);
    expect(whyReserved('Mod+W')).toBe('browser');
    expect(['Mod+S', '?', 'F2', 'Mod+Enter'].map(whyReserved)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('are ignored in what this browser stored', () => {
    expect(chosenFrom('{"a.b": "mod+j", "a.c": "Escape", "a.d": 5, "a.e": "", "a.f": "nonsense+"}')).toEqual({
      'a.b': 'Mod+J',
      'a.e': '',
    });
    for (const broken of [null, '', '[', '7', 'null']) expect(chosenFrom(broken)).toEqual({});
  });
});

describe('while a text is typed', () => {
  it('a chord that types something never runs its command', () => {
    expect(runsWhileTyping('Mod+S', true)).toBe(true);
    expect(runsWhileTyping('Mod+S', undefined)).toBe(false);
    expect(runsWhileTyping('N', true)).toBe(false);
  });
});
