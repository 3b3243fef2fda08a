import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readClientHello } from './client-hello.ts';
import { clientHello } from '../testing/client-hello.ts';

const name = 'bench.shop.armature.local';
const serverNameOf = (first: Buffer): string | undefined => readClientHello(first)?.serverName;

function vector(size: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length = Buffer.alloc(size);
  length.writeUIntBE(content.length, 0, size);
  return Buffer.concat([length, content]);
}

const extension = (type: number, data: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([type >> 8, type]), vector(2, data)]);
const hostName = (host: string): Buffer => vector(2, Buffer.of(0), vector(2, Buffer.from(host, 'latin1')));

/** A ClientHello of these extensions, field by field (RFC 8446, 4.1.2). */
function helloOf(sessionId: Uint8Array, ciphers: Uint8Array, extensions: readonly Uint8Array[]): Buffer {
  const body = [
    Buffer.alloc(34, 3),
    vector(1, sessionId),
    vector(2, ciphers),
    vector(1, Buffer.of(0)),
    vector(2, ...extensions),
  ];
  return Buffer.concat([Buffer.of(22, 3, 1), vector(2, Buffer.of(1), vector(3, ...body))]);
}

const others = fc.array(
  fc
    .tuple(fc.integer({ min: 1, max: 0xffff }), fc.uint8Array({ maxLength: 300 }))
    .map(([type, data]) => extension(type, data)),
  { maxLength: 8 },
);
const hosts = fc.stringMatching(/^[A-Za-z0-9.-]{1,80}$/);

describe('the server name of a ClientHello', () => {
  let real: Buffer;
  beforeAll(async () => {
    real = await clientHello(name);
  });

  it('is what a real client asks for, and empty where it asks for none', async () => {
    expect(serverNameOf(real)).toBe(name);
    expect(serverNameOf(await clientHello('LocalHost'))).toBe('localhost');
    expect(serverNameOf(await clientHello())).toBe('');
    expect(readClientHello(real)?.offersProtocols).toBe(false);
    expect(readClientHello(await clientHello(name, ['h2']))?.offersProtocols).toBe(true);
  });

  it('is found among any other fields, in small letters, whatever follows the record', () => {
    const bytes = fc.uint8Array({ maxLength: 32 });
    fc.assert(
      fc.property(bytes, bytes, others, hosts, others, bytes, (id, ciphers, before, host, after, rest) => {
        const hello = helloOf(id, ciphers, [...before, extension(0, hostName(host)), ...after]);
        expect(serverNameOf(Buffer.concat([hello, rest]))).toBe(host.toLowerCase());
        expect(serverNameOf(helloOf(id, ciphers, [...before, ...after]))).toBe('');
      }),
    );
  });

  it('is not known before the record is whole', () => {
    for (let length = 0; length < real.length; length++) expect(serverNameOf(real.subarray(0, length))).toBeUndefined();
  });

  it('is known after 16 KiB at the latest, and no bytes break it', () => {
    const start = fc.constantFrom(
      Buffer.of(),
      Buffer.of(22),
      Buffer.of(22, 3, 1),
      Buffer.of(22, 3, 3, 0xff),
      Buffer.of(22, 3, 3, 0, 80, 1),
    );
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 300 }), (head, rest) => {
        const filled = Buffer.concat([head, rest, Buffer.alloc(2 ** 14 + 5)]);
        expect(typeof serverNameOf(filled)).toBe('string');
      }),
    );
  });

  it('is one that was sent or none when bytes of a real one are changed', () => {
    const changes = fc.array(fc.tuple(fc.nat({ max: 2_000 }), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(changes, (changed) => {
        const hello = Buffer.from(real);
        for (const [at, value] of changed) hello[at % hello.length] = value;
        const told = serverNameOf(Buffer.concat([hello, Buffer.alloc(2 ** 14 + 5)])) ?? 'nothing';
        expect(hello.toString('latin1').toLowerCase()).toContain(told);
      }),
    );
  });
});
