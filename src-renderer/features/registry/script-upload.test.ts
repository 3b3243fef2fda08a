import { describe, expect, it } from 'vitest';
import { modelTypeOf } from './model-upload.ts';
import { isGzip, nameOfArchive, wireTypeOf } from './script-upload.ts';

describe('a training script to upload', () => {
  it('gets its name from its archive', () => {
    expect(nameOfArchive('my script.v2.tar.gz')).toBe('my_script_v2');
    expect(nameOfArchive('screws.tgz')).toBe('screws');
    expect(nameOfArchive('screws')).toBe('screws');
  });

  it('must be compressed with gzip, whatever its name says', async () => {
    expect(await isGzip(new Blob([new Uint8Array([0x1f, 0x8b, 8])]))).toBe(true);
    expect(await isGzip(new Blob(['PK']))).toBe(false);
    expect(await isGzip(new Blob([]))).toBe(false);
  });

  it('names the model type as the public registry does', () => {
    expect(wireTypeOf('unknown')).toBe('unspecified');
    expect(wireTypeOf('object_detection')).toBe('object_detection');
    expect(modelTypeOf('unspecified')).toBe('unknown');
    expect(modelTypeOf('object_detection')).toBe('object_detection');
  });
});
