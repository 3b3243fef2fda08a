import { describe, expect, it } from 'vitest';
import { BinaryMetadata } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { PictureBytes } from './picture-bytes.ts';

const picture = (binaryDataId: string): BinaryMetadata => BinaryMetadata.fromPartial({ binaryDataId, fileExt: '.png' });

describe('the bytes of pictures', () => {
  it('are fetched once, a few at a time, and completely', async () => {
    let running = 0;
    let most = 0;
    const asked: string[] = [];
    const store = new PictureBytes({
      async *download(id: string) {
        asked.push(id);
        most = Math.max(most, ++running);
        await Promise.resolve();
        yield new Uint8Array([1]);
        yield new Uint8Array([2, 3]);
        running -= 1;
      },
    });
    const ids = [...'abcdefgh'];
    const blobs = await Promise.all([...ids, 'a'].map((id) => store.get(picture(id))));
    expect(asked).toEqual(ids);
    expect(most).toBe(4);
    expect([...new Uint8Array(await blobs[0]!.arrayBuffer())]).toEqual([1, 2, 3]);
    expect(blobs[0]!.type).toBe('image/png');
    expect(blobs[8]).toBe(blobs[0]);
  });

  it('are fetched again after a failure, or after they were dropped', async () => {
    let count = 0;
    const store = new PictureBytes({
      async *download() {
        count += 1;
        if (count === 1) throw new Error('away');
        yield new Uint8Array();
      },
    });
    await expect(store.get(picture('a'))).rejects.toThrow('away');
    await store.get(picture('a'));
    store.keep(new Set(['a']));
    await store.get(picture('a'));
    expect(count).toBe(2);
    store.keep(new Set());
    await store.get(picture('a'));
    expect(count).toBe(3);
  });

  it('are not fetched where they are dropped before their turn', async () => {
    const asked: string[] = [];
    let go: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (go = resolve));
    const store = new PictureBytes({
      async *download(id: string) {
        asked.push(id);
        await opened;
        yield new Uint8Array();
      },
    });
    const all = [...'abcdef'].map((id) => store.get(picture(id)));
    store.keep(new Set([...'abcdf']));
    go();
    const results = await Promise.allSettled(all);
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, true, false, true]);
    expect(asked).toEqual([...'abcdf']);
  });

  it('are not fetched any more after close', async () => {
    const store = new PictureBytes({
      async *download(_id: string, signal: AbortSignal) {
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
      },
    });
    const all = [...'abcdef'].map((id) => store.get(picture(id)));
    store.close();
    for (const result of await Promise.allSettled(all)) expect(result.status).toBe('rejected');
  });
});
