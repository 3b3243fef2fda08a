import { AUTHORITATIVE_ANSWER, decode, encode, type Answer } from 'dns-packet';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { responsesTo } from './answers.ts';
import { isReachable, queriesFor, readRecords, type DiscoveryRecord } from './records.ts';
import { SERVICE } from './service.ts';

const instance = `arm.hall.armature.local.${SERVICE}`;

const response = (answers: Answer[], additionals: Answer[] = []): Buffer =>
  encode({ type: 'response', flags: AUTHORITATIVE_ANSWER, answers, additionals });
const typesIn = (records: readonly DiscoveryRecord[]): readonly string[] => records.map(({ type }) => type);

describe('what a message says of machines', () => {
  it('is what one of ours answers', () => {
    const query = decode(encode({ type: 'query', questions: [{ type: 'PTR', name: SERVICE }] }));
    const names = ['Arm.hall.armature.local'];
    const [answer] = responsesTo(query, { names, port: 8080, isEncrypted: true, address: '192.168.1.5' });
    const records = readRecords(encode(answer?.packet ?? {}));
    expect(typesIn(records)).toEqual(['PTR', 'PTR', 'SRV', 'TXT', 'SRV', 'TXT', 'A']);
    expect(records[0]).toEqual({
      type: 'PTR',
      name: SERVICE,
      ttlS: 4_500,
      isFlush: false,
      instance: `Arm.hall.armature.local.${SERVICE}`,
    });
    expect(records[2]).toMatchObject({ name: instance, port: 8080, target: 'arm.hall.armature.local', ttlS: 120 });
    expect(records[3]).toMatchObject({ name: instance, hasGrpc: true, isEncrypted: true });
    expect(records[6]).toMatchObject({ name: 'arm.hall.armature.local', address: '192.168.1.5' });
  });

  it('is whatever was said, through the bytes of a network', () => {
    const label = fc.stringMatching(/^[a-z0-9-]{1,20}$/);
    const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
    const ttl = fc.integer({ min: 0, max: 4_500 });
    fc.assert(
      fc.property(
        host,
        host,
        fc.integer({ min: 1, max: 65_535 }),
        ttl,
        fc.constantFrom<string[]>(['grpc'], ['grpc', 'tls=0'], ['grpc', 'webrtc', 'TLS=1'], ['other=1'], []),
        fc.ipV4(),
        fc.boolean(),
        (own, target, port, ttlS, texts, address, isFlush) => {
          const name = `${own}.${SERVICE}`;
          const bytes = response(
            [{ type: 'PTR', name: SERVICE, ttl: ttlS, data: name }],
            [
              { type: 'SRV', name, ttl: ttlS, flush: isFlush, data: { port, target } },
              { type: 'TXT', name, ttl: ttlS, flush: isFlush, data: [...texts] },
              { type: 'A', name: target, ttl: ttlS, flush: isFlush, data: address },
            ],
          );
          expect(readRecords(bytes)).toEqual([
            { type: 'PTR', name: SERVICE, ttlS, isFlush: false, instance: name },
            { type: 'SRV', name, ttlS, isFlush, port, target },
            {
              type: 'TXT',
              name,
              ttlS,
              isFlush,
              hasGrpc: texts.includes('grpc'),
              isEncrypted: texts.includes('TLS=1') ? true : texts.includes('tls=0') ? false : undefined,
            },
            { type: 'A', name: target, ttlS, isFlush, address },
          ]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('is nothing where it is about other services, asks, or is too much', () => {
    const other = response([{ type: 'PTR', name: '_http._tcp.local', data: 'printer._http._tcp.local' }]);
    expect(readRecords(other)).toEqual([]);
    expect(readRecords(encode({ type: 'query', questions: [{ type: 'PTR', name: SERVICE }] }))).toEqual([]);
    const many = Array.from({ length: 101 }, (): Answer => ({ type: 'PTR', name: SERVICE, data: instance }));
    expect(readRecords(response(many))).toEqual([]);
    expect(readRecords(response(many.slice(1)))).toHaveLength(100);
  });

  it.each([
    ['a control character', 'arm\u0007'],
    ['a new line', 'arm\nhall'],
    ['a mark that turns the text around', 'arm\u202Elah'],
    ['the end of a line of Unicode', 'arm\u2028'],
  ])('has no name with %s', (_title, name) => {
    const records = readRecords(
      response([
        { type: 'PTR', name: SERVICE, data: `${name}.${SERVICE}` },
        { type: 'SRV', name: instance, data: { port: 1, target: name } },
        { type: 'TXT', name: `${name}.${SERVICE}`, data: ['grpc'] },
        { type: 'A', name, data: '10.0.0.1' },
      ]),
    );
    expect(records).toEqual([]);
  });

  it('lasts no longer than anything may, and has a port', () => {
    const [pointer] = readRecords(response([{ type: 'PTR', name: SERVICE, ttl: 2 ** 31 - 1, data: instance }]));
    expect(pointer?.ttlS).toBe(4_500);
    expect(readRecords(response([{ type: 'SRV', name: instance, data: { port: 0, target: 'arm' } }]))).toEqual([]);
  });
});

describe('bytes of somebody who means no good', () => {
  const sound = response(
    [{ type: 'PTR', name: SERVICE, ttl: 120, data: instance }],
    [
      { type: 'SRV', name: instance, ttl: 120, data: { port: 8080, target: 'arm.local' } },
      { type: 'TXT', name: instance, ttl: 120, data: ['grpc'] },
      { type: 'A', name: 'arm.local', ttl: 120, data: '10.0.0.1' },
    ],
  );

  it('are read or left, whatever they are: nothing is thrown, and nothing takes long', () => {
    const garbage = fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes));
    /** A valid message with some bytes replaced, and truncated. */
    const spoilt = fc
      .tuple(
        fc.array(fc.tuple(fc.nat(sound.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.nat(sound.length),
      )
      .map(([changes, length]) => {
        const bytes = Buffer.from(sound);
        for (const [at, value] of changes) bytes[at] = value;
        return bytes.subarray(0, Math.max(12, length));
      });
    fc.assert(
      fc.property(fc.oneof(garbage, spoilt), (bytes) => {
        for (const record of readRecords(bytes)) {
          expect(record.ttlS).toBeGreaterThanOrEqual(0);
          expect(record.ttlS).toBeLessThanOrEqual(4_500);
          expect(record.name.length).toBeLessThan(255);
          expect(record.name).not.toMatch(/\p{C}/u);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('that point to themselves as a name end', () => {
    const header = Buffer.from([0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
    // A name that is a pointer to itself, one to what follows, and one that is followed back and forth.
    const rest = [0, 12, 0, 1, 0, 0, 0, 120, 0, 2, 0xc0, 0x0c];
    for (const name of [
      [0xc0, 12],
      [0xc0, 14],
      [1, 97, 0xc0, 12],
    ]) {
      expect(readRecords(Buffer.concat([header, Buffer.from([...name, ...rest])]))).toEqual([]);
    }
  });
});

describe('an address', () => {
  it.each([
    ['10.0.0.1', false, true],
    ['127.0.0.1', false, false],
    ['127.0.0.1', true, true],
    ['0.0.0.0', true, false],
    ['224.0.0.251', true, false],
    ['255.255.255.255', false, false],
    ['fd00::5', false, true],
    ['::1', false, false],
    ['::1', true, true],
    ['::', true, false],
    ['fe80::1', true, false],
    ['ff02::fb', false, false],
    ['::ffff:127.0.0.1', false, false],
    ['somewhere', true, false],
  ])('%s, said by this computer: %s; leads there: %s', (address, isOfThisComputer, expected) => {
    expect(isReachable(address, isOfThisComputer)).toBe(expected);
  });
});

describe('a query', () => {
  it('says what is known, in messages that a network carries whole', () => {
    const known = Array.from({ length: 200 }, (_, index) => ({
      instance: `arm-${index}.hall.armature.local.${SERVICE}`,
      ttlS: 4_000,
    }));
    const messages = queriesFor([{ type: 'PTR', name: SERVICE }], known).map((bytes) => ({
      length: bytes.length,
      ...decode(Buffer.from(bytes)),
    }));
    expect(Math.max(...messages.map(({ length }) => length))).toBeLessThanOrEqual(1_400);
    expect(messages.flatMap(({ answers }) => answers?.map((one) => 'data' in one && one.data))).toEqual(
      known.map((one) => one.instance),
    );
    expect(messages.map(({ questions }) => questions?.length)).toEqual([1, ...messages.slice(1).map(() => 0)]);
    // The answering computer waits for the rest of the known answers.
    expect(messages.map(({ flag_tc }) => flag_tc)).toEqual([...messages.slice(1).map(() => true), false]);
  });

  it('of many questions waits for nothing', () => {
    const questions = Array.from({ length: 60 }, (_, index) => ({
      type: 'SRV' as const,
      name: `a${index}.${SERVICE}`,
    }));
    const messages = queriesFor(questions, []).map((bytes) => decode(Buffer.from(bytes)));
    expect(messages.flatMap((one) => one.questions)).toHaveLength(60);
    expect(messages.some(({ flag_tc }) => flag_tc)).toBe(false);
  });
});
