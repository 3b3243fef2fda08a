import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../rpc/port/free-port.ts';
import { OpenBlob } from './blobs.ts';
import { S3Place } from './s3-place.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const KEY = { area: 'things', sha256: 'ab'.repeat(32) };
const LIMITS = { connectMs: 500, idleMs: 300, attempts: 2 };

/** Answers with an S3 error. */
function refusal(status: number, code: string): Answer {
  return (_request, response) => {
    const text = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>because ${code}</Message></Error>`;
    response.writeHead(status, { 'content-type': 'application/xml', connection: 'close' }).end(text);
  };
}

describe('a bucket', () => {
  let server: Server;
  let port = 0;
  let folder = '';
  let file = '';
  let place: S3Place;
  let asked: string[] = [];
  let answer: Answer;

  beforeEach(async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    asked = [];
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url?.split('?')[0]}`);
      request.resume();
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
    place = placeAt(port);
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-s3-'));
    file = path.join(folder, 'file');
    await writeFile(file, 'content');
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });

  const placeAt = (at: number): S3Place =>
    new S3Place({ bucket: 'files', prefix: 'hub/', endpoint: `http://127.0.0.1:${at}`, region: undefined }, LIMITS);
  const read = async (bytes: number): Promise<void> => {
    const stream = await place.open(KEY, bytes, 0);
    const blob = new OpenBlob(stream, 'it', { bytes, offset: 0, failure: (thrown) => place.failure(thrown) });
    for await (const chunk of blob) expect(chunk.length).toBeGreaterThan(0);
  };

  it('receives the hash of each object, so that it can refuse one that was changed in transit', async () => {
    const heads: (string | undefined)[] = [];
    answer = (request, response) => {
      heads.push(request.headers['x-amz-checksum-sha256'] as string, request.headers['content-length']);
      response.end();
    };
    await place.put(KEY, file, 7);
    expect(asked).toEqual([`PUT /files/hub/things/${KEY.sha256}`]);
    expect(heads).toEqual([Buffer.from(KEY.sha256, 'hex').toString('base64'), '7']);
  });

  it.each([
    [403, 'SignatureDoesNotMatch', 'store.unavailable', /refuses the hub.*check its keys/],
    [404, 'NoSuchBucket', 'store.unavailable', /no such bucket. Make it/],
    [507, 'XMinioStorageFull', 'store.full', /is full and the file was not stored/],
    [500, 'InternalError', 'store.unavailable', /does not answer as it should/],
    [400, 'BadDigest', 'store.unavailable', /because BadDigest/],
  ])('the error for %d %s says what to do', async (status, code, ours, message) => {
    answer = refusal(status, code);
    const failure = { code: ours, message: expect.stringMatching(message) as string };
    await expect(place.put(KEY, file, 7)).rejects.toMatchObject(failure);
    if (code === 'BadDigest') return;
    await expect(place.remove(KEY)).rejects.toMatchObject(failure);
    await expect(place.open(KEY, 7, 0)).rejects.toMatchObject(failure);
  });

  it('that has lost an object gives another error than one that does not answer', async () => {
    answer = refusal(404, 'NoSuchKey');
    await expect(place.open(KEY, 7, 0)).rejects.toMatchObject({ code: 'store.corrupt' });
    place = placeAt(await freePort());
    for (const ask of [() => place.open(KEY, 7, 0), () => place.put(KEY, file, 7), () => place.remove(KEY)]) {
      await expect(ask()).rejects.toMatchObject({
        code: 'store.unavailable',
        message: expect.stringContaining('ECONNREFUSED') as string,
      });
    }
  });

  it('that disconnects in the middle of an object makes the read fail', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half', () => response.destroy());
    };
    await expect(read(1_000)).rejects.toMatchObject({ code: 'store.unavailable' });
  });

  it('that stops responding makes the call fail, at the beginning and in the middle', async () => {
    answer = () => undefined;
    await expect(place.put(KEY, file, 7)).rejects.toMatchObject({ code: 'store.unavailable' });
    await expect(place.open(KEY, 7, 0)).rejects.toMatchObject({ code: 'store.unavailable' });
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half');
    };
    await expect(read(1_000)).rejects.toMatchObject({ code: 'store.unavailable' });
  });

  it('without keys fails with the names of the missing variables', async () => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, undefined);
    vi.stubEnv('HOME', folder);
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    place = placeAt(port);
    await expect(place.remove(KEY)).rejects.toThrow(/set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/);
    expect(asked).toEqual([]);
  });
});
