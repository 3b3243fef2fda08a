import { describe, expect, it } from 'vitest';
import { bits, encode, namedBits, oid, sequence, tag, time, unsigned } from './der.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The expected bytes are examples from X.690 and RFC 5280, or were checked with OpenSSL's asn1parse. */
describe('DER', () => {
  it.each([
    [0, '0400'],
    [0x7f, `047f${'00'.repeat(0x7f)}`],
    [0x80, `048180${'00'.repeat(0x80)}`],
    [0x100, `04820100${'00'.repeat(0x100)}`],
  ])('lengths: %i bytes', (length, expected) => {
    expect(hex(encode(tag.octetString, new Uint8Array(length)))).toBe(expected);
  });

  it.each([
    ['00', '020100'],
    ['7f', '02017f'],
    ['80', '02020080'],
    ['0000ff', '020200ff'],
    ['0100', '02020100'],
  ])('an unsigned number %s stays positive and has no zeros in front', (bytes, expected) => {
    expect(hex(unsigned(Buffer.from(bytes, 'hex')))).toBe(expected);
  });

  it.each([
    ['1.2.840.113549', '06062a864886f70d'],
    ['2.5.29.17', '0603551d11'],
    ['1.2.840.10045.4.3.2', '06082a8648ce3d040302'],
  ])('the object identifier %s', (text, expected) => {
    expect(hex(oid(text))).toBe(expected);
  });

  it('bits: whole bytes, and named bits without trailing zeros', () => {
    expect(hex(bits(Buffer.from([0xab])))).toBe('030200ab');
    expect(hex(namedBits(0))).toBe('03020780');
    expect(hex(namedBits(5, 6))).toBe('03020106');
  });

  it('times: two digits of the year up to 2049, four from 2050', () => {
    expect(time(Date.UTC(2049, 11, 31, 23, 59, 59, 999)).toString('latin1', 2)).toBe('491231235959Z');
    expect(time(Date.UTC(2050, 0, 1)).toString('latin1', 2)).toBe('20500101000000Z');
    expect([time(Date.UTC(2049, 0))[0], time(Date.UTC(2050, 0))[0]]).toEqual([tag.utcTime, tag.generalizedTime]);
  });

  it('sequences hold their items', () => {
    expect(hex(sequence(unsigned(Buffer.from([1])), sequence()))).toBe('30050201013000');
  });
});
