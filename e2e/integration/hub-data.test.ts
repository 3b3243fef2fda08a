import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataServiceDefinition } from '../../proto/gen/core/app/data/v1/data.ts';
import {
  DataSyncServiceDefinition,
  DataType,
  type FileUploadRequest,
  type UploadMetadata,
} from '../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { HubClient, hubFolder, startHub, type HubProcess } from '../harness/hub-process.ts';
import { until } from '../harness/until.ts';

const UPLOAD_ID = { 'upload-id': 'notes-1' };

describe('a hub that is killed while a file comes in', () => {
  let folder: { readonly data: string; remove(): Promise<void> };
  let hub: HubProcess;

  beforeEach(async () => {
    folder = await hubFolder();
    hub = await startHub({ data: folder.data, args: ['--no-tls'] });
  });

  afterEach(async () => {
    await hub.stop();
    await folder.remove();
  });

  /** Names of complete files, and of files being received. */
  const inFolder = async (): Promise<{ whole: string[]; coming: string[] }> => {
    const names = await readdir(path.join(folder.data, 'data')).catch(() => []);
    const coming = await readdir(path.join(folder.data, 'data/uploads')).catch(() => []);
    return { whole: names.filter((name) => name !== 'uploads'), coming };
  };

  it('has nothing of it, and takes it once when it is sent again', async () => {
    const { ownerKey: key = { id: '', secret: '' }, organizationId = '' } = hub;
    const owner = await HubClient.logIn(hub.url, key);
    const { robots } = await owner.call('listRobotsForOrg', { orgId: organizationId });
    const { parts } = await owner.call('getRobotParts', { robotId: robots[0]?.id ?? '' });
    const metadata: UploadMetadata = {
      partId: parts[0]?.id ?? '',
      componentType: '',
      componentName: '',
      methodName: '',
      type: DataType.FILE,
      fileName: 'notes.bin',
      methodParameters: {},
      fileExtension: '',
      tags: [],
      datasetIds: [],
      mimeType: '',
    };
    const piece: FileUploadRequest = {
      uploadPacket: { $case: 'fileContents', value: { data: randomBytes(64 * 1024) } },
    };
    const begin = (client: HubClient) => {
      const headers = { authorization: `Bearer ${client.token}`, ...UPLOAD_ID };
      const sending = client.grpc.sending(DataSyncServiceDefinition, 'fileUpload', { headers });
      void sending.write({ uploadPacket: { $case: 'metadata', value: metadata } });
      return sending;
    };
    const cut = begin(owner);
    await cut.write(piece);
    await until('the file comes in', async () => (await inFolder()).coming.length === 1, 10_000);
    await hub.crash();
    await expect(cut.answer).rejects.toThrow();
    owner.close();

    hub = await startHub({ data: folder.data, args: ['--no-tls'] });
    expect(await inFolder()).toEqual({ whole: [], coming: [] });
    const again = await HubClient.logIn(hub.url, key);
    const ids: string[] = [];
    for (let time = 0; time < 2; time++) {
      const sending = begin(again);
      await sending.write(piece);
      ids.push((await sending.end()).binaryDataId);
    }
    expect(new Set(ids).size).toBe(1);
    const request = { dataRequest: undefined, includeBinary: false, countOnly: true, includeInternalData: false };
    const headers = { authorization: `Bearer ${again.token}` };
    const { count, totalSizeBytes } = await again.grpc.call(DataServiceDefinition, 'binaryDataByFilter', request, {
      headers,
    });
    expect([count, totalSizeBytes]).toEqual([1n, 65_536n]);
    expect(await inFolder()).toMatchObject({ whole: [expect.any(String) as string], coming: [] });
    again.close();
  });
});
