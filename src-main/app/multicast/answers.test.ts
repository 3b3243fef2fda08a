import { decode, encode, type Answer, type Question } from 'dns-packet';
import { describe, expect, it } from 'vitest';
import { goodbyeOf, responsesTo, type AdvertisedMachine } from './answers.ts';
import { kindOfMessage } from './service.ts';

const SERVICE = '_rpc._tcp.local';
const advertised: AdvertisedMachine = {
  names: ['arm.hall.armature.local'],
  port: 8080,
  isEncrypted: true,
  address: '192.168.1.5',
};

const ask = (questions: Question[], answers: Answer[] = [], of: AdvertisedMachine = advertised) =>
  responsesTo(decode(encode({ type: 'query', questions, answers })), of);
/** The records of the only response, as the asking computer reads them. */
function records(responses: ReturnType<typeof ask>, section: 'answers' | 'additionals') {
  expect(responses).toHaveLength(1);
  return (decode(encode(responses[0]?.packet ?? {}))[section] ?? []).map(
    (record) => [record.type, record.name, 'data' in record ? record.data : ''] as const,
  );
}

describe('a multicast DNS message', () => {
  it.each(['arm.hall.armature.local', 'arm-hall-armature-local', 'ARM.Hall.armature.LOCAL'])(
    'about %s is answered with port, gRPC and address',
    (name) => {
      const responses = ask([{ type: 'SRV', name: `${name}.${SERVICE}` }]);
      const own = `${name.toLowerCase()}.${SERVICE}`;
      expect(records(responses, 'answers')).toMatchObject([
        ['SRV', own, { port: 8080, target: 'arm.hall.armature.local' }],
        ['TXT', own, [Buffer.from('grpc'), Buffer.from('tls=1')]],
      ]);
      expect(records(responses, 'additionals')).toEqual([['A', 'arm.hall.armature.local', '192.168.1.5']]);
    },
  );

  it('is told whether the port takes TLS', () => {
    const name = `arm.hall.armature.local.${SERVICE}`;
    const responses = ask([{ type: 'TXT', name }], [], { ...advertised, isEncrypted: false });
    expect(records(responses, 'answers')[1]?.[2]).toEqual([Buffer.from('grpc'), Buffer.from('tls=0')]);
  });

  it('takes leave under every name, where there is one', () => {
    const packet = goodbyeOf(['arm.hall.armature.local']);
    expect(decode(encode(packet ?? {})).answers).toMatchObject([
      { type: 'PTR', name: SERVICE, ttl: 0, data: `arm.hall.armature.local.${SERVICE}` },
      { type: 'PTR', name: SERVICE, ttl: 0, data: `arm-hall-armature-local.${SERVICE}` },
    ]);
    expect(goodbyeOf([])).toBeUndefined();
  });

  it('is answered once however often it asks', () => {
    const name = `arm.hall.armature.local.${SERVICE}`;
    const types = ['SRV', 'TXT', 'SRV'] as const;
    expect(ask(types.map((type) => ({ type, name })))).toHaveLength(1);
  });

  it('about all machines is answered with both spellings, and without what it knows', () => {
    const question: Question = { type: 'PTR', name: SERVICE };
    const [dots, dashes] = [`arm.hall.armature.local.${SERVICE}`, `arm-hall-armature-local.${SERVICE}`];
    expect(records(ask([question]), 'answers')).toEqual([
      ['PTR', SERVICE, dots],
      ['PTR', SERVICE, dashes],
    ]);
    const known = (data: string, ttl: number): Answer => ({ type: 'PTR', name: SERVICE, ttl, data });
    expect(records(ask([question], [known(dots, 4_000)]), 'answers')).toEqual([['PTR', SERVICE, dashes]]);
    expect(records(ask([question], [known(dots, 2_000)]), 'answers')).toHaveLength(2);
    expect(ask([question], [known(dots, 4_000), known(dashes, 4_000)])).toEqual([]);
  });

  it('about others, of another kind, or that is an answer itself, is not answered', () => {
    expect(ask([{ type: 'SRV', name: `other.hall.armature.local.${SERVICE}` }])).toEqual([]);
    expect(ask([{ type: 'AAAA', name: `arm.hall.armature.local.${SERVICE}` }])).toEqual([]);
    expect(ask([{ type: 'PTR', name: '_http._tcp.local' }])).toEqual([]);
    const message = { type: 'response', questions: [{ type: 'PTR', name: SERVICE }] } as const;
    expect(responsesTo(decode(encode({ ...message, questions: [...message.questions] })), advertised)).toEqual([]);
  });

  it('gets no name that DNS cannot carry', () => {
    const label = 'a'.repeat(40);
    const long = { ...advertised, names: [`${label}.${label}.local`, `${'b'.repeat(64)}.local`, 'c..local'] };
    expect(records(ask([{ type: 'PTR', name: SERVICE }], [], long), 'answers')).toEqual([
      ['PTR', SERVICE, `${label}.${label}.local.${SERVICE}`],
    ]);
  });
});

describe('the bytes of a message', () => {
  const name = `arm.hall.armature.local.${SERVICE}`;
  const query = (questions: number, type: 'query' | 'response' = 'query'): Buffer =>
    encode({ type, questions: Array.from({ length: questions }, () => ({ type: 'SRV' as const, name })) });

  it('ask or answer', () => {
    expect(kindOfMessage(query(1))).toBe('query');
    expect(kindOfMessage(query(1, 'response'))).toBe('response');
  });

  it('are read up to what a network carries, because each name in them takes time', () => {
    expect(kindOfMessage(query(100))).toBe('query');
    expect(kindOfMessage(query(101))).toBeUndefined();
    expect(kindOfMessage(Buffer.concat([query(1), Buffer.alloc(9_000)]))).toBeUndefined();
    expect(kindOfMessage(Buffer.alloc(11))).toBeUndefined();
  });
});
