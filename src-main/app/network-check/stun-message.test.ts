import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bindingRequest, messageLength, readBindingAnswer, transactionOf } from './stun-message.ts';

const id = Buffer.from('b7e7a701bc34d686fa87dfae', 'hex');

function message(type: number, attributes: string, cookie = '2112a442'): Buffer {
  const body = Buffer.from(attributes.replaceAll(' ', ''), 'hex');
  const header = Buffer.alloc(4);
  header.writeUInt16BE(type, 0);
  header.writeUInt16BE(body.length, 2);
  return Buffer.concat([header, Buffer.from(cookie, 'hex'), id, body]);
}

describe('STUN', () => {
  it('asks as RFC 8489 says: type, no attributes, cookie, id', () => {
    expect(bindingRequest(id).toString('hex')).toBe('000100002112a442b7e7a701bc34d686fa87dfae');
  });

  it('reads the addresses of the test vectors of RFC 5769', () => {
    expect(readBindingAnswer(message(0x0101, '00200008 0001a147e112a643'))).toEqual({
      kind: 'mapped',
      address: '192.0.2.1',
      port: 32_853,
    });
    expect(readBindingAnswer(message(0x0101, '00200014 0002a1470113a9faa5d3f179bc25f4b5bed2b9d9'))).toEqual({
      kind: 'mapped',
      address: '2001:db8:1234:5678:11:2233:4455:6677',
      port: 32_853,
    });
  });

  it('passes over what it does not know, and takes the masked address before the plain one', () => {
    const software = '80220003 61626300';
    const plain = '00010008 00010050 cb007101';
    expect(readBindingAnswer(message(0x0101, `${software} ${plain}`))).toEqual({
      kind: 'mapped',
      address: '203.0.113.1',
      port: 80,
    });
    expect(readBindingAnswer(message(0x0101, `${plain} ${software} 00200008 0001a147e112a643`))).toMatchObject({
      address: '192.0.2.1',
    });
  });

  it('reads a refusal, without what a terminal would act on', () => {
    const reason = Buffer.from('Try\u001b[2J it').toString('hex');
    const padded = `0009000e 00000300 ${reason} 0000`;
    expect(readBindingAnswer(message(0x0111, padded))).toEqual({ kind: 'refused', code: 300, reason: 'Try[2J it' });
  });

  it.each([
    ['no address', message(0x0101, '')],
    ['an attribute that is longer than the message', message(0x0101, '0020ffff 0001a147')],
    ['an address of an unknown family', message(0x0101, '00200008 0003a147e112a643')],
    ['an address that is too short', message(0x0101, '00200004 0001a147')],
    ['another cookie', message(0x0101, '00200008 0001a147e112a643', 'ffffffff')],
    ['a request', bindingRequest(id)],
    ['bytes behind the end', Buffer.concat([message(0x0101, '00200008 0001a147e112a643'), Buffer.alloc(4)])],
    ['nothing', Buffer.alloc(0)],
    ['a page', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('takes no answer from %s', (_, bytes) => {
    expect(readBindingAnswer(bytes)).toBeUndefined();
  });

  it('knows where a message ends, and what is none', () => {
    const whole = message(0x0101, '00200008 0001a147e112a643');
    expect(messageLength(whole.subarray(0, 19))).toBeUndefined();
    expect(messageLength(Buffer.concat([whole, whole]))).toBe(32);
    expect(messageLength(Buffer.from('HTTP/1.1'))).toBe('not-stun');
    const endless = Buffer.from(whole);
    endless.writeUInt16BE(0xfffc, 2);
    expect(messageLength(endless)).toBe('not-stun');
    expect(transactionOf(whole)).toBe(id.toString('hex'));
  });

  it('never throws, whatever comes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(0x0101, 0x0111), (noise, type) => {
        readBindingAnswer(Buffer.from(noise));
        transactionOf(Buffer.from(noise));
        // A right header, so that the noise is read as attributes.
        readBindingAnswer(message(type, Buffer.from(noise.subarray(0, noise.length & ~3)).toString('hex')));
      }),
    );
  });
});
