/**
 * A machine that repeatedly starts, logs in, connects and disconnects, each time over a new connection. Runs in a
 * separate process, so that its own cost is not mistaken for its effect on others. Prints the results as JSON.
 */
import { Client, credentials, Metadata, type ClientDuplexStream } from '@grpc/grpc-js';
import { ConnectRequest, ConnectResponse, PartServiceDefinition } from '../../proto/gen/core/hub/v1/part.ts';
import { AuthServiceDefinition } from '../../proto/gen/proto/rpc/v1/auth.ts';
import { GrpcClient, methodPath } from '../harness/grpc-client.ts';

export interface Storm {
  /** `localhost:PORT` */
  readonly address: string;
  /** PEM */
  readonly authority: string;
  readonly partId: string;
  readonly secret: string;
  readonly triesPerS: number;
  readonly ms: number;
}

type Stream = ClientDuplexStream<ConnectRequest, ConnectResponse>;

async function connectAnew({ address, authority, partId, secret }: Storm): Promise<string> {
  const login = new GrpcClient(address, {}, authority);
  const channel = credentials.createSsl(Buffer.from(authority));
  const client = new Client(address, channel, { 'grpc.use_local_subchannel_pool': 1 });
  try {
    const proof = { entity: partId, credentials: { type: 'robot-secret', payload: secret } };
    const { accessToken } = await login.call(AuthServiceDefinition, 'authenticate', proof);
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${accessToken}`);
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
    return await new Promise((resolve) => {
      stream.once('data', () => {
        resolve('accepted');
        stream.cancel();
      });
      stream.once('error', ({ code }: { readonly code?: number }) => resolve(`code ${code}`));
    });
  } catch (thrown) {
    return `code ${(thrown as { readonly code?: number }).code}`;
  } finally {
    login.close();
    client.close();
  }
}

const storm = JSON.parse(process.argv[2] ?? '{}') as Storm;
const counts: Record<string, number> = {};
const tries: Promise<void>[] = [];
const timer = setInterval(() => {
  tries.push(connectAnew(storm).then((outcome) => void (counts[outcome] = (counts[outcome] ?? 0) + 1)));
}, 1_000 / storm.triesPerS);
setTimeout(() => {
  clearInterval(timer);
  void Promise.all(tries).then(() => process.stdout.write(`${JSON.stringify(counts)}\n`));
}, storm.ms);
