import { expect, it } from 'vitest';
import { formatName, isDrawable, pictureFileName } from './picture-format.ts';

it('a picture can be drawn where browsers know its format', () => {
  expect(['image/jpeg', 'image/png', 'image/qoi', 'image/vnd.viam.dep', '', 'toString'].map(isDrawable)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

it('a format has a short name', () => {
  expect(['image/jpeg', 'image/vnd.viam.dep', 'image/qoi'].map(formatName)).toEqual(['JPEG', 'VIAM.DEP', 'QOI']);
});

it('the file of a picture is named by camera, source and time, in characters that file names allow', () => {
  const at = new Date(2026, 10, 3, 9, 5, 7, 12).getTime();
  expect(pictureFileName('eye', 'color', 'image/jpeg', at)).toBe('eye-color-2026-11-03-090507-012.jpg');
  expect(pictureFileName('eye', '', 'image/png', at)).toBe('eye-2026-11-03-090507-012.png');
  expect(pictureFileName('a/b', 'infra red', 'image/vnd.viam.dep', at)).toBe('a_b-infra_red-2026-11-03-090507-012.bin');
});
