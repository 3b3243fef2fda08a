import { mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataType, type FileUploadRequest } from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { ManualClock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { silentLogger, type Logger } from '../../../base/logger.ts';
import { FakeDataHub, type Received } from '../testing/capture-fixture.ts';
import { UserFiles } from './user-files.ts';

describe("files of the user's", () => {
  let home = '';
  let hub: FakeDataHub;
  let said: string[];
  let files: UserFiles;
  const clock = new ManualClock(Date.now() + 3_600_000);
  const logger: Logger = { ...silentLogger, warn: (message: string) => void said.push(message) };

  const open = (): void => {
    files = new UserFiles({ record: path.join(home, 'sent-files.json'), hub, clock, logger });
  };
  beforeEach(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'armature-user-files-'));
    await mkdir(path.join(home, 'data'));
    hub = new FakeDataHub();
    said = [];
    open();
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const write = async (name: string, content: string | Buffer): Promise<string> => {
    const file = path.join(home, 'data', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
    return file;
  };
  const send = (restMs = 10_000): Promise<void> => files.send([path.join(home, 'data')], restMs);
  const contentOf = ({ requests }: Received): Buffer =>
    Buffer.concat(
      (requests as FileUploadRequest[]).flatMap(({ uploadPacket }) =>
        uploadPacket?.$case === 'fileContents' ? [uploadPacket.value.data] : [],
      ),
    );

  it('go once, whole and with what is known of them, and stay as they are', async () => {
    const large = Buffer.alloc(700_000, 'abc');
    const file = await write('run/tag=night/dataset=d1/log.csv', large);
    await write('empty', '');
    await send();
    await send();
    expect(hub.received).toHaveLength(1);
    const [call] = hub.received;
    if (call === undefined) throw new Error('nothing came');
    expect(contentOf(call).equals(large)).toBe(true);
    expect((call.requests[0] as FileUploadRequest).uploadPacket?.value).toMatchObject({
      partId: 'part',
      type: DataType.FILE,
      fileName: file,
      fileExtension: '.csv',
      tags: ['night'],
      datasetIds: ['d1'],
    });
    expect((await readFile(file)).equals(large)).toBe(true);
    open();
    await send();
    expect(hub.received).toHaveLength(1);
  });

  it('go again when they were changed, with another id', async () => {
    const file = await write('log', 'one');
    await send();
    await writeFile(file, 'three');
    await send();
    expect(hub.received.map((call) => contentOf(call).toString())).toEqual(['one', 'three']);
    expect(new Set(hub.received.map(({ uploadId }) => uploadId)).size).toBe(2);
  });

  it('wait until nobody has changed them for a while', async () => {
    const file = await write('log', 'x');
    const recent = new Date(clock.now() - 5_000);
    await utimes(file, recent, recent);
    await send(10_000);
    expect(hub.received).toEqual([]);
    await send(1_000);
    expect(hub.received).toHaveLength(1);
  });

  it('are files and nothing else: no links, pipes or what is not there', async () => {
    await write('log', 'x');
    await symlink('/etc/passwd', path.join(home, 'data', 'link'));
    execFileSync('mkfifo', [path.join(home, 'data', 'pipe')]);
    await files.send([path.join(home, 'nowhere'), path.join(home, 'data')], 0);
    await files.send([path.join(home, 'nowhere'), path.join(home, 'data')], 0);
    expect(hub.received.map((call) => contentOf(call).toString())).toEqual(['x']);
    expect(said).toEqual([expect.stringContaining('nowhere')]);
  });

  it('one that the hub does not take keeps no other, and goes later', async () => {
    await write('1', 'bad');
    await write('2', 'good');
    hub.refuse = (call) =>
      contentOf(call).toString() === 'bad' ? new ArmatureError('store.full', 'no room') : undefined;
    await send();
    expect(hub.received.map((call) => contentOf(call).toString())).toEqual(['good']);
    expect(said).toEqual([expect.stringMatching(/was not sent to the hub: no room/)]);
    hub.refuse = () => undefined;
    await send();
    expect(hub.received).toHaveLength(2);
  });

  it('fails where the hub is away', async () => {
    await write('1', 'x');
    hub.isConnected = false;
    await expect(send()).rejects.toMatchObject({ code: 'hub.unreachable' });
  });
});
