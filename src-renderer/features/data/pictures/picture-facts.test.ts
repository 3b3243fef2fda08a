import { describe, expect, it } from 'vitest';
import { BinaryMetadata, CaptureMetadata } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { pictureName, pictureTime, pictureType, tagsOf, typedTags, withTags } from './picture-facts.ts';

const from = (more: Partial<CaptureMetadata> = {}): CaptureMetadata => ({
  ...CaptureMetadata.fromPartial({}),
  ...more,
});
const picture = (more: Partial<BinaryMetadata> = {}): BinaryMetadata => ({
  ...BinaryMetadata.fromPartial({ binaryDataId: 'b1', timeReceived: new Date(0) }),
  captureMetadata: from({ componentName: 'cam 1', mimeType: 'image/png', tags: ['dusk'] }),
  ...more,
});

describe('a picture', () => {
  it('is recognized by its type, or by the extension of its file', () => {
    expect(pictureType(picture())).toBe('image/png');
    expect(pictureType(picture({ captureMetadata: from({ mimeType: 'IMAGE/JPEG; q=1' }) }))).toBe('image/jpeg');
    expect(pictureType(picture({ captureMetadata: from(), fileExt: '.JPG' }))).toBe('image/jpeg');
    expect(
      pictureType(picture({ captureMetadata: from({ mimeType: 'image/svg+xml' }), fileExt: '.svg' })),
    ).toBeUndefined();
  });

  it('is saved under its file name, or under its time', () => {
    expect(pictureName(picture({ fileName: 'logs/today/x.pcd', fileExt: '.pcd' }))).toBe('x.pcd');
    expect(pictureName(picture())).toBe('cam_1-1970-01-01T00-00-00.000Z.png');
    expect(pictureName(picture({ captureMetadata: from(), timeReceived: undefined }))).toBe('b1.bin');
  });

  it('has a time, and tags that can be replaced', () => {
    expect([pictureTime(picture()), tagsOf(picture())]).toEqual([0, ['dusk']]);
    expect(tagsOf(withTags(picture(), ['dawn']))).toEqual(['dawn']);
    expect(typedTags(' a, b ,,a , c d')).toEqual(['a', 'b', 'c d']);
  });
});
