import { describe, expect, it } from 'vitest';
import { OutputClaims, OutputOwner, type Claim, type OutputTarget } from './output-claims.ts';

const left: OutputTarget = { kind: 'resource', resource: 'core:component:motor/left' };

function begin(claims: OutputClaims, owner: OutputOwner | undefined): Claim {
  const claim = claims.claim('left', left, owner);
  if (claim === undefined) throw new Error('nothing was remembered');
  return claim;
}

describe('claims on an output', () => {
  it('of an owner that lost it are forgotten', () => {
    const claims = new OutputClaims();
    const [first, second] = [new OutputOwner(false), new OutputOwner(false)];
    claims.settle(begin(claims, first));
    claims.settle(begin(claims, second));
    expect([first.outputs.size, second.outputs.size]).toEqual([0, 1]);
    claims.settle(begin(claims, undefined));
    expect([second.outputs.size, claims.size]).toEqual([0, 0]);
  });

  it('that were lost while their command still ran have no say over later ones', () => {
    const claims = new OutputClaims();
    const [slow, second, third] = [new OutputOwner(false), new OutputOwner(false), new OutputOwner(false)];
    const slowClaim = begin(claims, slow);
    claims.settle(begin(claims, second));
    expect(claims.end(second, true)).toEqual([left]);
    claims.settle(begin(claims, third));
    expect(claims.settle(slowClaim)).toBeUndefined();
    expect(claims.end(slow, true)).toEqual([]);
    expect(claims.end(third, true)).toEqual([left]);
  });

  it('fall back to the one before when refused, wherever in the order that happens', () => {
    const claims = new OutputClaims();
    const [first, second, third] = [new OutputOwner(false), new OutputOwner(false), new OutputOwner(false)];
    claims.settle(begin(claims, first));
    const [secondClaim, thirdClaim] = [begin(claims, second), begin(claims, third)];
    claims.withdraw(secondClaim);
    expect(claims.end(first, true)).toEqual([]);
    expect(claims.withdraw(thirdClaim)?.target).toEqual(left);
    expect(claims.size).toBe(0);
  });

  it('of nobody in particular are not remembered', () => {
    const claims = new OutputClaims();
    expect(claims.claim('left', left, undefined)).toBeUndefined();
    expect(claims.size).toBe(0);
  });
});
