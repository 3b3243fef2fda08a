/**
 * A plain grpc-js server over TLS that answers each stream with one message and holds it: the minimum cost of a fleet.
 */
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import type { ChildProcess } from 'node:child_process';
import { endProcess, SERVER_CPU, spawnNode } from '../pinned-process.ts';

export interface StreamHolder {
  readonly child: ChildProcess;
  readonly url: string;
  end(): Promise<void>;
}

export async function startStreamHolder(certFile: string, keyFile: string): Promise<StreamHolder> {
  const child = spawnNode([import.meta.filename, 'hold', certFile, keyFile], {
    cpu: SERVER_CPU,
    environment: {},
    hasChannel: true,
  });
  const [port] = (await once(child, 'message')) as [number];
  return { child, url: `https://localhost:${port}`, end: () => endProcess(child) };
}

function hold(certFile: string, keyFile: string): void {
  process.on('disconnect', () => process.exit());
  const same = (bytes: Buffer): Buffer => bytes;
  const server = new Server();
  const streams = new Set<ServerDuplexStream<Buffer, Buffer>>();
  server.addService(
    {
      connect: {
        path: '/core.hub.v1.PartService/Connect',
        requestStream: true,
        responseStream: true,
        requestSerialize: same,
        requestDeserialize: same,
        responseSerialize: same,
        responseDeserialize: same,
      },
    },
    {
      connect: (stream: ServerDuplexStream<Buffer, Buffer>) => {
        streams.add(stream);
        stream.on('data', (hello: Buffer) => stream.write(hello));
        stream.on('error', () => streams.delete(stream));
        stream.on('end', () => stream.end());
      },
    },
  );
  const pair = { private_key: readFileSync(keyFile), cert_chain: readFileSync(certFile) };
  server.bindAsync('localhost:0', ServerCredentials.createSsl(null, [pair]), (error, port) => {
    if (error !== null) throw error;
    process.send?.(port);
  });
}

if (import.meta.main && process.argv[2] === 'hold') hold(process.argv[3] ?? '', process.argv[4] ?? '');
