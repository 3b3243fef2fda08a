import { describe, expect, it } from 'vitest';
import type { ResourceView } from '../../../shared/machine/machine-view.ts';
import { liveRequests, liveValues, mostShown } from './live-requests.ts';

const ready = (subtype: string): ResourceView => ({
  fullName: `core:component:${subtype}/x`,
  name: 'x',
  api: `core:component:${subtype}`,
  model: 'core:builtin:fake',
  state: 'ready',
  reason: '',
  since: 0,
  attempts: 0,
  waitingFor: [],
  dependsOn: [],
  nextTryAt: 0,
});

describe('what is polled beside a form', () => {
  it('is what the API has to say at a glance', () => {
    expect(liveRequests(ready('motor'), {}).map(({ method }) => method)).toEqual([
      'motor.IsPowered',
      'motor.GetPosition',
    ]);
    expect(liveRequests(ready('generic'), {})).toEqual([]);
  });

  it('is nothing while it does not run', () => {
    expect(liveRequests({ ...ready('motor'), state: 'failed' }, {})).toEqual([]);
  });

  it('of a board is its first analogs and interrupts, whatever stands in the attributes', () => {
    const attributes = {
      analogs: [{ name: 'pot' }, 7, null, { pin: '1' }],
      digital_interrupts: Array.from({ length: 9 }, (_, index) => ({ name: `i${index}` })),
    };
    const parts = liveRequests(ready('board'), attributes).map(({ part }) => part);
    expect(parts).toEqual(['pot', 'i0', 'i1', 'i2']);
    expect(parts).toHaveLength(mostShown);
  });
});

describe('the values of an answer', () => {
  const request = { id: 'x', resource: 'x', method: 'motor.GetPosition', part: '', frequencyHz: 1 } as const;

  it('have their unit, a true minus and no minus zero', () => {
    expect(liveValues(request, { position: -1.25 })).toEqual([
      { name: 'position', value: '−1.3', unit: 'revolutions' },
    ]);
    expect(liveValues(request, { power: -0.001 })).toEqual([{ name: 'power', value: '0.00', unit: '' }]);
  });

  it('of a sensor are the plain ones', () => {
    const readings = { celsius: 21.456, state: 'on', nested: { a: 1 }, list: [1], none: null };
    expect(liveValues({ ...request, method: 'sensor.GetReadings' }, { readings }).map(({ value }) => value)).toEqual([
      '21.46',
      'on',
    ]);
  });
});
