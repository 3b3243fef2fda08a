import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { Client, credentials, type ClientDuplexStream } from '@grpc/grpc-js';
import { makeCertificate } from '../../harness/certificate.ts';
import { CannotMeasure } from '../measure.ts';
import { endAtExit, endProcess, SERVER_CPU } from '../pinned-process.ts';
import { freePort } from '../../../src-main/rpc/port/free-port.ts';
import { pinnedTo } from './hub.ts';

/** Outside the repository, because a peer is not a dependency. Kept between runs. */
const peerFolder = path.join(os.tmpdir(), 'armature-bench-peers', 'etcd');
const unpacked = path.join(peerFolder, 'usr/bin/etcd');

/**
 * The program: ARMATURE_ETCD, an installed one, or else Debian's package, unpacked without installing.
 * @throws {CannotMeasure} where there is none
 */
async function etcdProgram(note: (text: string) => void): Promise<string> {
  const known = [process.env['ARMATURE_ETCD'] ?? '', 'etcd', unpacked].find(
    (file) => file !== '' && spawnSync(file, ['--version']).status === 0,
  );
  if (known !== undefined) return known;
  try {
    note(`unpacking Debian's etcd-server in ${peerFolder}`);
    await mkdir(peerFolder, { recursive: true });
    const options = { cwd: peerFolder, stdio: 'ignore', shell: true } as const;
    execFileSync('apt-get download etcd-server && dpkg-deb -x etcd-server_*.deb .', options);
  } catch {
    // Reported below: no apt, or no network.
  }
  if (!existsSync(unpacked)) {
    throw new CannotMeasure('needs etcd to compare with: apt-get install etcd-server, or name it in ARMATURE_ETCD');
  }
  return unpacked;
}

/** Paths and field numbers of etcd's public API (etcdserverpb, version 3). */
const PUT = '/etcdserverpb.KV/Put';
const WATCH = '/etcdserverpb.Watch/Watch';

const asIs = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
const same = (bytes: Buffer): Buffer => bytes;

/** One etcd over TLS, with its default durability, and a client of it. */
export interface Etcd {
  put(key: string, value: Buffer): Promise<void>;
  /** Calls back with each value that is put at the key. Resolves when the watch is established. */
  watch(key: string, onValue: (value: Buffer) => void): Promise<void>;
  end(): Promise<void>;
}

function putRequest(key: string, value: Buffer): Uint8Array {
  return new BinaryWriter().uint32(10).string(key).uint32(18).bytes(value).finish();
}

function watchRequest(key: string): Uint8Array {
  const create = new BinaryWriter().uint32(10).string(key).finish();
  return new BinaryWriter().uint32(10).bytes(create).finish();
}

/** The fields of a message with these numbers; bytes as bytes, numbers as numbers. */
function fieldsOf(bytes: Uint8Array, number: number): (Uint8Array | number)[] {
  const reader = new BinaryReader(bytes);
  const found: (Uint8Array | number)[] = [];
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field !== number) reader.skip(wireType);
    else found.push(wireType === WireType.LengthDelimited ? reader.bytes() : Number(reader.uint64()));
  }
  return found;
}

/** Values in a WatchResponse: events (11), the pair (2) of each, and its value (5). */
function valuesIn(response: Buffer): Buffer[] {
  const inner = (bytes: Uint8Array | number, field: number): (Uint8Array | number)[] =>
    typeof bytes === 'number' ? [] : fieldsOf(bytes, field);
  const pairs = fieldsOf(response, 11).flatMap((event) => inner(event, 2));
  return pairs.flatMap((pair) => inner(pair, 5)).map((value) => Buffer.from(value as Uint8Array));
}

export async function startEtcd(scratch: string, note: (text: string) => void): Promise<Etcd> {
  const program = await etcdProgram(note);
  const folder = await mkdtemp(path.join(scratch, 'etcd-'));
  const { certFile, keyFile } = makeCertificate(folder);
  const [port, peerPort] = [await freePort(), await freePort()];
  const url = `https://localhost:${port}`;
  const peer = `http://localhost:${peerPort}`;
  const options = ['--data-dir', path.join(folder, 'data'), '--cert-file', certFile, '--key-file', keyFile];
  const urls = ['--listen-client-urls', url, '--advertise-client-urls', url, '--listen-peer-urls', peer];
  const cluster = ['--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`];
  const [file = program, ...rest] = [...pinnedTo(SERVER_CPU), program, ...options, ...urls, ...cluster];
  const child = spawn(file, rest, { stdio: 'ignore' });
  endAtExit(child);
  const channel = credentials.createSsl(await readFile(certFile));
  const client = new Client(`localhost:${port}`, channel, { 'grpc.use_local_subchannel_pool': 1 });
  let watching: ClientDuplexStream<Uint8Array, Buffer> | undefined;
  await new Promise<void>((resolve, reject) => {
    client.waitForReady(Date.now() + 15_000, (error) => (error === undefined ? resolve() : reject(error)));
  });
  return {
    put: (key, value) =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(PUT, asIs, same, putRequest(key, value), (error) => {
          if (error === null) resolve();
          else reject(error);
        });
      }),
    watch: (key, onValue) => {
      const stream = client.makeBidiStreamRequest(WATCH, asIs, same);
      watching = stream;
      stream.on('error', () => undefined);
      stream.write(watchRequest(key));
      return new Promise((resolve) => {
        stream.on('data', (response: Buffer) => {
          resolve(); // the first response confirms the watch
          for (const value of valuesIn(response)) onValue(value);
        });
      });
    },
    end: async () => {
      watching?.cancel();
      client.close();
      await endProcess(child);
    },
  };
}
