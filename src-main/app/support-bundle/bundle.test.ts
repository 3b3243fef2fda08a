import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readTar, tarLimits } from '../../base/tar/read-tar.ts';
import { filePart, supportBundle, type BundlePart } from './bundle.ts';

async function filesOf(
  parts: readonly BundlePart[],
  signal = new AbortController().signal,
): Promise<Map<string, string>> {
  const options = {
    parts,
    mask: (text: string) => text.replaceAll('secret', '***'),
    now: Date.UTC(2026, 2, 1),
    signal,
  };
  // What fails is thrown where it is read.
  const tar = pipeline(Readable.from(supportBundle(options)), createGunzip(), () => undefined);
  const files = new Map<string, string>();
  const limits = { archiveBytes: 1024 * 1024, limits: tarLimits, refuse: (why: string) => new Error(why) };
  for await (const entry of readTar(tar, limits)) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry.chunks()) chunks.push(chunk);
    files.set(entry.name, Buffer.concat(chunks).toString());
  }
  return files;
}

const folder = 'armature-support-2026-03-01T00-00-00';

describe('a support bundle', () => {
  it('has every text masked, in pieces or whole, and bytes as they are', async () => {
    const files = await filesOf([
      filePart('a.txt', 'a text', () => 'a secret'),
      filePart('b.txt', 'a long text', async () => ['one secret\n', 'two secrets\n']),
      filePart('c.bin', 'bytes', () => Buffer.from('secret')),
    ]);
    expect(Object.fromEntries(files)).toMatchObject({
      [`${folder}/a.txt`]: 'a ***',
      [`${folder}/b.txt`]: 'one ***\ntwo ***s\n',
      [`${folder}/c.bin`]: 'secret',
    });
  });

  it('does without what cannot be collected, and says what and why', async () => {
    const files = await filesOf([
      filePart('a.txt', 'a text', () => {
        throw new Error('the secret disk is gone');
      }),
      filePart('b.txt', 'another', () => 'b'),
    ]);
    expect([...files.keys()]).toEqual([`${folder}/b.txt`, `${folder}/README.txt`]);
    const readme = files.get(`${folder}/README.txt`) ?? '';
    expect(readme).toContain('a.txt: the *** disk is gone');
    expect(readme).toMatch(/ {2}b\.txt +another\n/);
  });

  it('ends with whoever wanted it', async () => {
    const controller = new AbortController();
    const part = filePart('a.txt', 'a text', () => {
      controller.abort(new Error('nobody waits'));
      throw new Error('gone');
    });
    await expect(filesOf([part], controller.signal)).rejects.toThrow('nobody waits');
  });
});
