import { describe, expect, it } from 'vitest';
import { createTexts, withTexts, type MessageKey } from './text.ts';

const t = createTexts({
  plain: 'Nothing.',
  deep: { er: '{name} waits for {other}, {name} says' },
  forms: { two: '{count} motor | {count} motors', three: 'no motor | {count} motor | {count} motors' },
});
const text = (key: string, values?: Record<string, string | number>): string => t(key as MessageKey, values);

describe('a sentence of the catalogue', () => {
  it('contains the values of each call', () => {
    expect([text('plain'), text('plain')]).toEqual(['Nothing.', 'Nothing.']);
    expect(text('deep.er', { name: 'left', other: 'a {name}' })).toBe('left waits for a {name}, left says');
    expect(text('deep.er', { name: 'right', other: '' })).toBe('right waits for , right says');
  });

  it.each([
    [0, '0 motors', 'no motor'],
    [1, '1 motor', '1 motor'],
    [2, '2 motors', '2 motors'],
    [7, '7 motors', '7 motors'],
  ])('has the form for %i', (count, two, three) => {
    expect(text('forms.two', { count })).toBe(two);
    expect(text('forms.three', { count })).toBe(three);
  });

  it('that does not exist is shown as its key', () => {
    expect(text('deep.est')).toBe('deep.est');
  });

  it('may come from messages that a part of the page adds', () => {
    const own = withTexts(createTexts(), { lamp: { on: '{name} is on' } });
    expect([own('lamp.on', { name: 'left' }), own('app.name')]).toEqual(['left is on', 'Armature']);
  });
});
