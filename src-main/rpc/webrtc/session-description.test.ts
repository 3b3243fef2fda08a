import { describe, expect, it } from 'vitest';
import { readDescription, writeDescription } from './session-description.ts';

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

describe('a description of a session', () => {
  it('is signaled as base64 of its JSON', () => {
    const offer = { type: 'offer', sdp: 'v=0\r\n' } as const;
    expect(readDescription(writeDescription(offer), 'offer')).toEqual(offer);
  });

  it.each([
    ['', /Unexpected end of JSON/],
    ['?', /JSON/],
    [encoded(null), /it is no object/],
    [encoded({ type: 'answer', sdp: 'v=0' }), /its type is "answer"/],
    [encoded({ type: 'offer', sdp: 7 }), /it has no description/],
    ['A'.repeat(70_000), /has 70000 characters/],
  ])('is refused where it is none: %.20j', (text, why) => {
    expect(() => readDescription(text, 'offer')).toThrow(why);
  });
});
