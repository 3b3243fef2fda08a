import { describe, expect, it } from 'vitest';
import tokens from '../../../../shared/styles/tokens.css?raw';
import { classOrder, colourOf, keptClasses, labelColours } from './label-classes.ts';

type Rgb = readonly [number, number, number];

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio as defined by WCAG, 1 to 21. */
function contrast(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** A colour as seen with full deuteranopia (no green cones), by the matrix of Machado et al. */
function withoutGreen([red, green, blue]: Rgb): Rgb {
  return [
    0.367 * red + 0.861 * green - 0.228 * blue,
    0.28 * red + 0.673 * green + 0.047 * blue,
    -0.012 * red + 0.043 * green + 0.969 * blue,
  ];
}

function colours(): { readonly labels: readonly Rgb[]; readonly ink: Rgb } {
  const rgb = (name: string): Rgb => {
    const found = [...tokens.matchAll(new RegExp(`--${name}: #([0-9a-f]{6});`, 'g'))];
    // One value for both themes, because labels are drawn on pictures.
    expect(found.length, name).toBe(1);
    const value = parseInt(found[0]?.[1] ?? '', 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  };
  const labels = Array.from({ length: labelColours }, (_, index) => rgb(`label-${index + 1}`));
  return { labels, ink: rgb('label-ink') };
}

describe('classes', () => {
  it('keep their digit when others are added', () => {
    expect(classOrder(['screw', 'nut'], ['bolt', 'nut', 'anchor', 'bolt'])).toEqual(['screw', 'nut', 'anchor', 'bolt']);
    expect(colourOf('nut', ['screw', 'nut'])).toBe(2);
    expect(colourOf('i', [...'abcdefghi'])).toBe(1);
  });

  it('are read from the stored text, also where that is invalid', () => {
    expect(keptClasses('["screw", "", 3, "screw", "nut"]')).toEqual(['screw', 'nut']);
    for (const text of [null, '', '{', '{"a":1}', '"screw"']) expect(keptClasses(text)).toEqual([]);
  });

  it('have colours with readable names on them, which differ also for color-blind people', () => {
    const { labels, ink } = colours();
    for (const [index, colour] of labels.entries()) {
      expect(contrast(colour, ink), `--label-${index + 1}`).toBeGreaterThan(4.5);
      for (const other of labels.slice(index + 1)) {
        expect(Math.hypot(...colour.map((value, at) => value - (other[at] ?? 0)))).toBeGreaterThan(60);
        const [seen, beside] = [withoutGreen(colour), withoutGreen(other)];
        expect(Math.hypot(...seen.map((value, at) => value - (beside[at] ?? 0)))).toBeGreaterThan(20);
      }
    }
  });
});
