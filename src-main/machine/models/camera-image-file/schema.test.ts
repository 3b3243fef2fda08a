import { expect, it } from 'vitest';
import { checkImageFileCamera } from './schema.ts';

const problems = (attributes: Parameters<typeof checkImageFileCamera>[0]) =>
  checkImageFileCamera(attributes).map(({ pointer, code }) => `${pointer} ${code}`);

it('one place of pictures is enough, and a picture of depth beside it', () => {
  expect(problems({ color_image_file_path: '/a.png' })).toEqual([]);
  expect(problems({ folder_path: '/a', loop: false, depth_image_file_path: '/d.png' })).toEqual([]);
  expect(problems({ video_path: '/a.mp4', frame_rate: 12 })).toEqual([]);
  expect(problems({ depth_image_file_path: '/d.png' })).toEqual([]);
});

it('no place, two of them, and a path that is not whole are errors at their fields', () => {
  expect(problems({})).toEqual(['/color_image_file_path attribute.missing']);
  expect(problems({ color_image_file_path: '' })).toEqual(['/color_image_file_path attribute.missing']);
  expect(problems({ video_path: '/a.mp4', folder_path: '/a' })).toEqual(['/video_path attribute.conflict']);
  expect(problems({ folder_path: 'pictures', depth_image_file_path: './d' })).toEqual([
    '/folder_path attribute.not_allowed',
    '/depth_image_file_path attribute.not_allowed',
  ]);
});
