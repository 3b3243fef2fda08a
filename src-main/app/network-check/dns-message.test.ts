import { encode, type Answer } from 'dns-packet';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dnsQuery, readDnsAnswer, type DnsQuestion } from './dns-message.ts';

const asked: DnsQuestion = { id: 7, name: 'hub.example', type: 'A' };

function answer(more: { id?: number; flags?: number; name?: string; answers?: Answer[]; questions?: [] } = {}): Buffer {
  const { id = 7, flags = 0, name = 'HUB.example', answers = [], questions = [{ name, type: 'A' as const }] } = more;
  return encode({ type: 'response', id, flags, questions, answers });
}

describe('a DNS answer', () => {
  it('is asked for with recursion', () => {
    const query = dnsQuery(asked);
    expect(query.readUInt16BE(0)).toBe(7);
    expect(query.readUInt16BE(2)).toBe(0x0100);
  });

  it('has the addresses of the type that was asked for, behind aliases too', () => {
    const answers: Answer[] = [
      { type: 'CNAME', name: 'hub.example', data: 'real.example' },
      { type: 'A', name: 'real.example', data: '192.0.2.7' },
      { type: 'AAAA', name: 'real.example', data: '2001:db8::7' },
    ];
    expect(readDnsAnswer(answer({ answers }), asked)).toEqual({ code: 'NOERROR', values: ['192.0.2.7'] });
  });

  it('says what went wrong, with the question or without', () => {
    expect(readDnsAnswer(answer({ flags: 3 }), asked)).toEqual({ code: 'NXDOMAIN', values: [] });
    expect(readDnsAnswer(answer({ flags: 2, questions: [] }), asked)).toEqual({ code: 'SERVFAIL', values: [] });
  });

  it.each([
    ['has another id', answer({ id: 8 })],
    ['is for another name', answer({ name: 'other.example' })],
    ['is for nothing', answer({ questions: [] })],
    ['is a query', dnsQuery(asked)],
    ['is cut off', answer({ answers: [{ type: 'A', name: 'hub.example', data: '192.0.2.7' }] }).subarray(0, 30)],
    ['has a name that leads back to itself', Buffer.from('000781800001000000000000c00c00010001', 'hex')],
  ])('is none where it %s', (_, bytes) => {
    expect(readDnsAnswer(bytes, asked)).toBeUndefined();
  });

  it('never throws, whatever comes', () => {
    const whole = answer({ answers: [{ type: 'A', name: 'hub.example', data: '192.0.2.7' }] });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(whole.length - 1), fc.nat(255), (noise, at, byte) => {
        readDnsAnswer(Buffer.from(noise), asked);
        readDnsAnswer(Buffer.concat([whole.subarray(0, 12), Buffer.from(noise)]), asked);
        const changed = Buffer.from(whole);
        changed[at] = byte;
        readDnsAnswer(changed, asked);
      }),
    );
  });
});
