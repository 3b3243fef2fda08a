import type { DescMessage } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import type { MethodModel } from '../../../shared/reflection/service-model.ts';
import { otherName, mayMove, requestNaming, requestsIn } from './resource-request.ts';

const messageWith = (...fields: object[]): DescMessage => ({ fields }) as unknown as DescMessage;
const named = messageWith({ number: 1, name: 'name', fieldKind: 'scalar' });
const unnamed = messageWith({ number: 1, name: 'force', fieldKind: 'scalar' });
const method = (values: Partial<MethodModel>): MethodModel => ({
  name: 'Grab',
  path: '/acme.v1.GripperService/Grab',
  kind: 'one',
  input: named,
  output: named,
  isSafetyMonitored: false,
  ...values,
});

describe('a request to a resource', () => {
  it('starts with the name of the resource where the first field takes it', () => {
    expect(requestNaming(named, 'hand')).toEqual({ name: 'hand' });
    expect(requestNaming(unnamed, 'hand')).toBeUndefined();
  });

  it('is an object, or a list of them where the method takes a stream', () => {
    expect(requestsIn(method({}), { name: 'hand' })).toEqual([{ name: 'hand' }]);
    expect(requestsIn(method({ kind: 'requests' }), [{}, {}])).toEqual([{}, {}]);
    for (const wrong of [[], [1], {}, 'a', null]) expect(requestsIn(method({ kind: 'both' }), wrong)).toBeUndefined();
    expect(requestsIn(method({}), [{}])).toBeUndefined();
  });

  it('must not name another resource', () => {
    expect(otherName(method({}), [{ name: 'hand' }], 'hand')).toBeUndefined();
    expect(otherName(method({}), [{ name: 'hand' }, { name: 'foot' }], 'hand')).toBe('"foot"');
    expect(otherName(method({}), [{}], 'hand')).toBe('""');
    expect(otherName(method({ input: unnamed }), [{}], 'hand')).toBeUndefined();
  });

  it('may move something unless the method only reads, or stops', () => {
    const names = ['Grab', 'WatchForce', 'Stop', 'GetPosition', 'IsMoving', 'ListPins', 'ReadPin', 'Issue', 'Getaway'];
    expect(names.filter((name) => mayMove(method({ name })))).toEqual(['Grab', 'WatchForce', 'Issue', 'Getaway']);
    expect(mayMove(method({ name: 'GetUp', isSafetyMonitored: true }))).toBe(true);
  });
});
