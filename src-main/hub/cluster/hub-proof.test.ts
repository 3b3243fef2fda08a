import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { HubProof } from './hub-proof.ts';

describe('the proof of a hub', () => {
  const clock = new ManualClock();
  const [a, b] = ['a', 'b'].map((id) => new HubProof(id, 'key of the store', clock));

  it('is valid only at the hub that it is for', () => {
    expect(b?.isGood(a?.for('b'))).toBe(true);
    expect(b?.isGood(a?.for('c'))).toBe(false);
    expect(a?.isGood(a?.for('b'))).toBe(false);
    expect(new HubProof('b', 'another key', clock).isGood(a?.for('b'))).toBe(false);
  });

  it('is valid for some minutes', () => {
    const header = a?.for('b');
    clock.advance(300_000);
    expect(b?.isGood(header)).toBe(true);
    clock.advance(1);
    expect(b?.isGood(header)).toBe(false);
  });

  it.each([undefined, '', 'a', 'a 1 x', `a ${'9'.repeat(99)} ${'x'.repeat(43)}`, `a 1 ${'ä'.repeat(43)}`])(
    'is none: %s',
    (header) => expect(b?.isGood(header)).toBe(false),
  );

  it('cannot be derived from another one', () => {
    const [sender, time = '', mac] = (a?.for('b') ?? '').split(' ');
    expect(b?.isGood(`c ${time} ${mac}`)).toBe(false);
    expect(b?.isGood(`${sender} ${Number(time) + 1} ${mac}`)).toBe(false);
  });
});
