import { describe, expect, it } from 'vitest';
import { Client, credentials, Metadata, type ClientDuplexStream } from '@grpc/grpc-js';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { ConnectRequest, ConnectResponse, PartServiceDefinition } from '../../proto/gen/core/hub/v1/part.ts';
import { methodPath } from '../harness/grpc-client.ts';
import { Fleet } from '../harness/joined-machine.ts';

type Stream = ClientDuplexStream<ConnectRequest, ConnectResponse>;

/** The result of one attempt to connect: accepted, or the code of its rejection. */
function connectOnce(client: Client, token: string, partId: string): Promise<number | 'accepted'> {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  const stream: Stream = client.makeBidiStreamRequest(
    methodPath(PartServiceDefinition, 'connect'),
    (request) => Buffer.from(ConnectRequest.encode(request).finish()),
    (bytes) => ConnectResponse.decode(bytes),
    metadata,
  );
  const hello = {
    partId,
    revision: '',
    ownsConfig: false,
    version: '',
    platform: '',
    host: '',
    startedAt: undefined,
  };
  stream.write({ message: { $case: 'hello', value: hello } });
  return new Promise((resolve) => {
    stream.once('data', () => {
      resolve('accepted');
      stream.cancel();
    });
    stream.once('error', (error: { readonly code?: number }) => resolve(error.code ?? -1));
  });
}

describe('a hub under bad callers', () => {
  it('slows down a part that connects 100 times a second, and goes on answering others', async () => {
    const fleet = await Fleet.start();
    const partId = await fleet.partId();
    const { token } = fleet.owner;
    const client = new Client(`localhost:${fleet.port}`, credentials.createSsl(Buffer.from(fleet.authority)));
    const outcomes: (number | 'accepted')[] = [];
    const answers: number[] = [];
    for (let round = 0; round < 30; round++) {
      const attempts = Array.from({ length: 10 }, () => connectOnce(client, token, partId));
      const startedAt = performance.now();
      await fleet.call(ConfigServiceDefinition, 'get', { partId });
      answers.push(performance.now() - startedAt);
      outcomes.push(...(await Promise.all(attempts)));
    }
    client.close();
    const accepted = outcomes.filter((outcome) => outcome === 'accepted').length;
    // A burst, and then one every two seconds.
    expect(accepted).toBeGreaterThan(0);
    expect(accepted).toBeLessThan(60);
    expect(outcomes.filter((outcome) => outcome === 8).length).toBeGreaterThan(200);
    expect(answers).toHaveLength(30);
    // It has not run out of resources: a well-behaved client gets in.
    expect(fleet.hub.process.exitCode).toBeNull();
  });

  it('refuses 10 MB of configuration by name, and keeps what it has', async () => {
    const fleet = await Fleet.start();
    const partId = await fleet.partId();
    const large = JSON.stringify({ components: [], services: [], notes: 'x'.repeat(10 * 1024 * 1024) });
    const request = { partId, text: large, baseRevision: '', author: '', note: '' };
    await expect(fleet.call(ConfigServiceDefinition, 'apply', request)).rejects.toMatchObject({
      code: 8,
      details: expect.stringMatching(/has \d+ bytes; at most 8388608 are kept/) as string,
    });
    await expect(
      fleet.owner.call('updateRobotPart', { id: partId, name: '', robotConfig: undefined, robotConfigJson: large }),
    ).rejects.toMatchObject({ code: 8 });
    expect(await fleet.call(ConfigServiceDefinition, 'get', { partId })).toMatchObject({ text: '' });
  });
});
