import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseServerAddress } from '../../base/server-address.ts';
import { readCloudSettings } from './cloud-settings.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const cloud = { id: 'part-1', api_key: { id: 'key-1', key: 'top-secret' }, app_address: 'https://hub.example:8090' };

describe('the cloud block', () => {
  let folder = '';
  let file = '';

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-cloud-'));
    file = path.join(folder, 'machine.json');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const read = async (document: unknown, isLenient = false) => {
    await writeFile(file, typeof document === 'string' ? document : JSON.stringify(document));
    return readCloudSettings(file, isLenient, { KEY: 'from-outside' });
  };

  it('is read with its key, and the address to bind to beside it', async () => {
    expect(await read({ cloud, network: { bind_address: 'localhost:9000' } })).toEqual({
      partId: 'part-1',
      address: { text: 'https://hub.example:8090', host: 'hub.example', port: 8090, isEncrypted: true },
      credentials: { type: 'api-key', entity: 'key-1', payload: 'top-secret' },
      authority: '',
      bindAddress: 'localhost:9000',
    });
  });

  it('takes variables of the environment, and says which is not set', async () => {
    const withKey = (key: string) => read({ cloud: { ...cloud, api_key: { id: 'key-1', key } } });
    expect(await withKey('${KEY}')).toMatchObject({ credentials: { payload: 'from-outside' } });
    await expect(withKey('${KAY}')).rejects.toThrow(/\$\{KAY\} at \/cloud\/api_key\/key has no value/);
  });

  it('takes a secret of the part; a key counts before it', async () => {
    const { api_key: _key, ...rest } = cloud;
    expect(await read({ cloud: { ...rest, secret: 's' } })).toMatchObject({
      credentials: { type: 'robot-secret', entity: 'part-1', payload: 's' },
    });
    expect(await read({ cloud: { ...cloud, secret: 's' } })).toMatchObject({ credentials: { type: 'api-key' } });
  });

  it('takes an authority as text, and as a file beside it', async () => {
    expect(await read({ cloud: { ...cloud, ca: PEM } })).toMatchObject({ authority: PEM });
    await writeFile(path.join(folder, 'hub.pem'), PEM);
    expect(await read({ cloud: { ...cloud, ca: 'hub.pem' } })).toMatchObject({ authority: PEM });
    await expect(read({ cloud: { ...cloud, ca: 'no.pem' } })).rejects.toMatchObject({
      code: 'config.unreadable',
      message: expect.stringContaining(path.join(folder, 'no.pem')) as string,
    });
  });

  it.each([['{"cloud": '], ['[]'], ['{}'], ['null']])('is not there in %s', async (text) => {
    expect(await read(text)).toBeUndefined();
    expect(readCloudSettings(path.join(folder, 'none.json'), false, {})).toBeUndefined();
  });

  it.each([
    ['id', { ...cloud, id: undefined }],
    ['id', { ...cloud, id: 7 }],
    ['app_address', { ...cloud, app_address: undefined }],
    ['app_address', { ...cloud, app_address: 'ftp://hub' }],
    ['app_address', { ...cloud, app_address: 'https://hub/with/path' }],
    ['app_address', { ...cloud, app_address: 'https://user:word@hub' }],
    ['app_address', { ...cloud, app_address: 'http://192.0.2.1:80' }],
    ['api_key', { ...cloud, api_key: undefined }],
    ['api_key', { ...cloud, api_key: { id: 'x' } }],
    ['api_key', { ...cloud, api_key: 'top-secret' }],
    ['id', 'top-secret'],
  ])('with a wrong %s is refused by name, without the secret', async (key, block) => {
    await expect(read({ cloud: block })).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringContaining(`cloud.${key}`) as string,
    });
    await expect(read({ cloud: block })).rejects.not.toThrow(/top-secret/);
  });

  it('clear text goes to this computer, and elsewhere where that is allowed', async () => {
    for (const address of ['http://localhost:8090', 'http://127.0.0.1', 'http://[::1]:8090']) {
      expect(await read({ cloud: { ...cloud, app_address: address } })).toMatchObject({ partId: 'part-1' });
    }
    expect(await read({ cloud: { ...cloud, app_address: 'http://192.0.2.1' } }, true)).toMatchObject({
      address: { host: '192.0.2.1', port: 80, isEncrypted: false },
    });
  });

  it.each([
    ['hub.example', 'hub.example', 443, true],
    ['hub.example:8090', 'hub.example', 8090, true],
    ['https://hub.example', 'hub.example', 443, true],
    ['http://hub.example', 'hub.example', 80, false],
    ['[::1]:8090', '::1', 8090, true],
  ])('the address %s', (text, host, port, isEncrypted) => {
    expect(parseServerAddress(text)).toEqual({ text, host, port, isEncrypted });
  });
});
