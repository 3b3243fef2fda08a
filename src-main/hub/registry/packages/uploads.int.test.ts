import { randomBytes } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  DownloadResponse,
  RegistryServiceDefinition,
  type PackageDescription,
} from '../../../../proto/gen/core/hub/v1/registry.ts';
import { ManualClock } from '../../../base/clock.ts';
import { StatusCode } from '../../../base/status.ts';
import { testStores } from '../../storage/testing/test-stores.ts';
import { TestHub, type AppCall } from '../../testing/test-hub.ts';
import { endorsementOf, isSignedBy } from '../../../base/ed25519.ts';
import { makeTar } from '../../../base/tar/testing/make-tar.ts';
import { KEY_HEADER, SIGNATURE_HEADER } from './package-signing.ts';
import { makePackage, packageEntries } from '../testing/make-package.ts';
import { publish, send, sendFile, startUpload, TestKey, type Info } from '../testing/publish.ts';

const { INVALID_ARGUMENT, PERMISSION_DENIED, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED, ALREADY_EXISTS } = StatusCode;
const ID = 'acme:motors';
const LIMITS = { bytes: 400_000, atOnce: 2, idleMs: 60_000 };

describe.each(testStores)('uploads on $name', (kind) => {
  let clock: ManualClock;
  let test: TestHub;
  let owner: AppCall;
  let token = '';
  let organizationId = '';

  beforeEach(async () => {
    clock = new ManualClock(Date.UTC(2026, 5, 1));
    test = await TestHub.open(kind, clock, undefined, { uploadLimits: LIMITS });
    token = await test.logIn(test.first.ownerKey);
    owner = await test.asOwner();
    ({ organizationId } = test.first);
    await owner('updateOrganizationNamespace', { organizationId, newPublicNamespace: 'acme' });
    await owner('createModule', { organizationId, name: 'motors' });
  });

  afterEach(() => test.end());

  const whole = makePackage({}, [{ name: 'data', content: randomBytes(200_000) }]);
  /** Names of the files in the registry's folder, with those of uploads listed separately. */
  const kept = async (): Promise<{ packages: string[]; uploads: string[] }> => {
    const folder = path.join(test.folder, 'registry');
    const names = await readdir(folder).catch(() => []);
    const uploads = await readdir(path.join(folder, 'uploads')).catch(() => []);
    return { packages: names.filter((name) => name !== 'uploads'), uploads };
  };
  const versions = async (): Promise<string[]> => {
    const { versions: all } = await test.call(RegistryServiceDefinition, 'describe', { moduleId: ID }, { token });
    return all.map(({ version }) => version);
  };
  const nothing = { packages: [], uploads: [] };
  /** Settles when no upload is in progress. */
  const idle = async (): Promise<void> => {
    while (test.router.inFlight > 0) await new Promise(setImmediate);
  };
  const describePackage = async (version: string): Promise<PackageDescription> => {
    const request = { moduleId: ID, version, platform: 'linux/any', offset: 0n };
    const call = test.start(RegistryServiceDefinition, 'download', request, { token });
    expect((await call.ended).message).toBe('');
    const { part } = DownloadResponse.decode(call.messages[0] as Uint8Array);
    if (part?.$case !== 'description') throw new Error('no description');
    return part.value;
  };

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    'one that is cut off at %d0 %% leaves nothing, and can be made again',
    async (tenth) => {
      const call = startUpload(test, token, { version: '1.0.0' });
      await sendFile(call, whole.subarray(0, Math.floor((whole.length * tenth) / 10)));
      call.sink.cancel('the cable is out');
      await idle();
      expect(await kept()).toEqual(nothing);
      expect(await versions()).toEqual([]);
      await publish(test, token, { version: '1.0.0' }, whole);
      expect(await versions()).toEqual(['1.0.0']);
    },
  );

  it('one that ends early without an error is refused as incomplete', async () => {
    for (let tenth = 0; tenth < 10; tenth++) {
      const part = whole.subarray(0, Math.floor((whole.length * tenth) / 10));
      await expect(publish(test, token, { version: '1.0.0' }, part)).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    }
    expect(await kept()).toEqual(nothing);
    expect(await versions()).toEqual([]);
  });

  it.each<readonly [string, Uint8Array, RegExp]>([
    ['no gzip', Buffer.from('PK\u0003\u0004 a zip'), /no whole gzip file/],
    ['gzip that is damaged in the middle', damaged(whole), /refused/],
    ['gzip of no tar', gzipSync(randomBytes(10_000)), /no tar archive/],
    ['leading out', gzipSync(makeTar([...packageEntries(), { name: '../x' }])), /leads out of it/],
  ])('a package that is %s is refused and leaves nothing', async (_what, bytes, message) => {
    await expect(publish(test, token, { version: '1.0.0' }, bytes)).rejects.toMatchObject({
      code: INVALID_ARGUMENT,
      message: expect.stringMatching(message) as string,
    });
    expect(await kept()).toEqual(nothing);
    expect(await versions()).toEqual([]);
  });

  it('one that is too large is ended at the limit', async () => {
    const large = publish(test, token, { version: '1.0.0' }, randomBytes(LIMITS.bytes + 1));
    await expect(large).rejects.toMatchObject({
      code: RESOURCE_EXHAUSTED,
      message: 'The package has more than 400000 bytes, which is the most that is kept.',
    });
    await idle();
    expect(await kept()).toEqual(nothing);
  });

  it('more at once than allowed are refused, and succeed later', async () => {
    const first = startUpload(test, token, { version: '1.0.0' });
    const second = startUpload(test, token, { version: '1.0.1' });
    while ((await kept()).uploads.length < 2) await new Promise(setImmediate);
    await expect(publish(test, token, { version: '1.0.2' }, whole)).rejects.toMatchObject({
      code: RESOURCE_EXHAUSTED,
      message: '2 uploads are under way: try again when one has ended.',
    });
    first.sink.cancel('enough');
    second.sink.cancel('enough');
    await idle();
    await publish(test, token, { version: '1.0.2' }, whole);
  });

  it('one that stops sending is ended, and its place is free', async () => {
    const call = startUpload(test, token, { version: '1.0.0' });
    await sendFile(call, whole.subarray(0, 50_000));
    while ((await kept()).uploads.length < 1) await new Promise(setImmediate);
    while (call.status === undefined) {
      // The last chunk may still be on its way to the disk. The time limit begins after it.
      clock.advance(LIMITS.idleMs);
      await new Promise(setImmediate);
    }
    expect(call.status).toEqual({ code: DEADLINE_EXCEEDED, message: 'The upload has stopped: nothing came for 60 s.' });
    await idle();
    expect(await kept()).toEqual(nothing);
  });

  it('one that begins with bytes, or sends a second description, is refused', async () => {
    const call = startUpload(test, token, { version: '1.0.0' });
    void send(call, {
      moduleFile: {
        $case: 'moduleFileInfo',
        value: { moduleId: ID, version: '1.0.1', platform: 'any', platformTags: [] },
      },
    });
    expect((await call.ended).code).toBe(INVALID_ARGUMENT);
    await expect(publish(test, token, { version: '1.0.0' }, new Uint8Array())).rejects.toMatchObject({
      message: 'The upload has no bytes: send the package after its description.',
    });
  });

  it('one whose module is deleted and created again meanwhile is not published in the new module', async () => {
    const call = startUpload(test, token, { version: '1.0.0' });
    await sendFile(call, whole);
    while ((await kept()).uploads.length < 1) await new Promise(setImmediate);
    await owner('deleteRegistryItem', { itemId: ID });
    await owner('createModule', { organizationId, name: 'motors' });
    call.sink.halfClose();
    expect((await call.ended).code).toBe(StatusCode.NOT_FOUND);
    expect(await kept()).toEqual(nothing);
    expect(await versions()).toEqual([]);
  });

  it('one that is published while its module is being deleted is deleted too', async () => {
    const { registry } = test.hub.parts;
    const before = await registry.get(ID);
    await publish(test, token, { version: '1.0.0' }, whole);
    // The deletion began before the upload, and so sees the module without it.
    vi.spyOn(registry.catalog, 'get').mockResolvedValueOnce(before);
    await registry.delete(ID);
    expect(await kept()).toEqual(nothing);
  });

  it('what a killed hub left of uploads is removed at its next start; what is published stays', async () => {
    await publish(test, token, { version: '1.0.0' }, whole);
    const { packages } = test.hub.parts.registry;
    // Files of a killed hub: one from receiving, one from between storing the file and the commit.
    const [cut, uncommitted] = [await packages.begin(), await packages.begin()];
    await cut.write(Buffer.from('half'));
    await uncommitted.write(Buffer.from('whole'));
    const sha256 = 'ab'.repeat(32);
    await rename(uncommitted.path, path.join(test.folder, 'registry', sha256));
    await test.hub.parts.store.db.insertInto('unsettled_blobs').values({ area: 'registry', sha256 }).execute();
    const before = await kept();
    expect([before.packages.length, before.uploads.length]).toEqual([2, 1]);
    await test.close();
    test = await TestHub.open(kind, clock, test.place, { uploadLimits: LIMITS });
    while ((await kept()).packages.length > 1) await new Promise(setImmediate);
    const after = await kept();
    expect([after.packages.length, after.uploads]).toEqual([1, []]);
    expect((await describePackage('1.0.0')).bytes).toBe(BigInt(whole.length));
    await cut.close();
    await uncommitted.close();
  });

  describe('signed by the publisher', () => {
    const addKey = (key: TestKey, name: string, by?: TestKey, signature?: Buffer) => {
      const endorsement = by && {
        endorsedKey: key.publicKey,
        byKey: by.publicKey,
        signature: signature ?? by.sign(endorsementOf(key.publicKey)),
      };
      const request = { organizationId, name, publicKey: key.publicKey, endorsement };
      return test.call(RegistryServiceDefinition, 'addPublisherKey', request, { token });
    };
    const signed = (key: TestKey, info: Info, bytes: Uint8Array, over = bytes) =>
      publish(test, token, info, bytes, key.headers(info, over));
    const refusal = (message: RegExp) => ({
      code: PERMISSION_DENIED,
      message: expect.stringMatching(message) as string,
    });

    it('keeps the publisher’s signature, and the name of the key', async () => {
      const key = new TestKey();
      await addKey(key, 'release');
      await signed(key, { version: '1.0.0' }, whole);
      const about = await describePackage('1.0.0');
      expect(about.signedBy).toBe('release');
      expect(Buffer.from(about.publicKey).equals(key.publicKey)).toBe(true);
      expect(isSignedBy(key.publicKey, about.statement, about.signature)).toBe(true);
    });

    it('must be signed by an accepted key, for these bytes, version and platform, or it is not stored', async () => {
      const key = new TestKey();
      const other = new TestKey();
      await expect(signed(other, { version: '1.0.0' }, whole)).rejects.toMatchObject(refusal(/does not accept/));
      await addKey(key, 'release');
      const unsigned = publish(test, token, { version: '1.0.0' }, whole);
      await expect(unsigned).rejects.toMatchObject(
        refusal(/is missing: this organization signs.*armature module upload/),
      );
      await expect(signed(other, { version: '1.0.0' }, whole)).rejects.toMatchObject(refusal(/does not accept/));
      const changed = makePackage();
      await expect(signed(key, { version: '1.0.0' }, changed, whole)).rejects.toMatchObject(
        refusal(/with these bytes/),
      );
      for (const info of [{ version: '1.0.1' }, { version: '1.0.0', platform: 'any' }]) {
        const headers = key.headers({ version: '1.0.0' }, whole);
        await expect(publish(test, token, info, whole, headers)).rejects.toMatchObject(
          refusal(/is not for acme:motors/),
        );
      }
      const broken = { [SIGNATURE_HEADER]: 'AAAA', [KEY_HEADER]: key.publicKey.toString('base64') };
      await expect(publish(test, token, { version: '1.0.0' }, whole, broken)).rejects.toMatchObject(
        refusal(/of the upload is not valid/),
      );
      expect(await kept()).toEqual(nothing);
      expect(await versions()).toEqual([]);
    });

    it('is refused before a byte of the package is received if the key is not accepted', async () => {
      const key = new TestKey();
      await addKey(key, 'release');
      const call = startUpload(test, token, { version: '1.0.0' });
      expect((await call.ended).code).toBe(PERMISSION_DENIED);
    });

    it('with a revoked key is refused; what that key signed stays; without another key none is published', async () => {
      const key = new TestKey();
      const { key: added } = await addKey(key, 'release');
      await signed(key, { version: '1.0.0' }, whole);
      const id = added?.id ?? '';
      await test.call(RegistryServiceDefinition, 'revokePublisherKey', { organizationId, id }, { token });
      await expect(signed(key, { version: '1.0.1' }, whole)).rejects.toMatchObject(refusal(/was revoked/));
      await expect(publish(test, token, { version: '1.0.1' }, whole)).rejects.toMatchObject(refusal(/is missing/));
      expect((await describePackage('1.0.0')).signedBy).toBe('release');
      await expect(addKey(key, 'again')).rejects.toMatchObject({ code: ALREADY_EXISTS });
      const { keys } = await test.call(RegistryServiceDefinition, 'listPublisherKeys', { organizationId }, { token });
      expect(keys).toMatchObject([{ id, name: 'release', revokedAt: new Date(clock.now()) }]);
    });

    it('a chain of endorsements leads from the hub’s key over older ones to the newest', async () => {
      await publish(test, token, { version: '0.9.0' }, whole);
      const hubKey = (await describePackage('0.9.0')).publicKey;
      const [first, second, third] = [new TestKey(), new TestKey(), new TestKey()];
      await addKey(first, 'first');
      await addKey(second, 'second', first);
      await addKey(third, 'third', second);
      await signed(third, { version: '1.0.0' }, whole);
      const { endorsements } = await describePackage('1.0.0');
      const hexes = endorsements.map(({ byKey, endorsedKey, signature }) => {
        expect(isSignedBy(byKey, endorsementOf(endorsedKey), signature)).toBe(true);
        return [byKey, endorsedKey].map((raw) => Buffer.from(raw).toString('hex'));
      });
      const chain = [hubKey, first.publicKey, second.publicKey, third.publicKey].map((raw) =>
        Buffer.from(raw).toString('hex'),
      );
      expect(hexes).toEqual([2, 1, 0].map((index) => [chain[index], chain[index + 1]]));
    });

    it('an endorsement by a key that is not accepted, of another key, or wrongly signed is refused', async () => {
      const [first, second, stranger] = [new TestKey(), new TestKey(), new TestKey()];
      await addKey(first, 'first');
      await expect(addKey(second, 'second', stranger)).rejects.toMatchObject(refusal(/which is not accepted here/));
      await expect(addKey(second, 'second', first, randomBytes(64))).rejects.toMatchObject(refusal(/wrong signature/));
      const request = { organizationId, name: 'x', publicKey: randomBytes(31), endorsement: undefined };
      await expect(test.call(RegistryServiceDefinition, 'addPublisherKey', request, { token })).rejects.toMatchObject({
        code: INVALID_ARGUMENT,
        message: 'The public key has 31 bytes: a raw ed25519 public key has 32.',
      });
    });
  });
});

function damaged(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const middle = copy.length >> 1;
  copy.fill(0xaa, middle, middle + 64);
  return copy;
}
