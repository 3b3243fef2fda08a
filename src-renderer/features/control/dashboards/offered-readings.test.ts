import { expect, it } from 'vitest';
import { Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { resourceOf } from '../../../shared/machine/resource.fixture.ts';
import { offeredReadings } from './offered-readings.ts';

it('the readings of ready resources are offered', () => {
  const resources = [
    resourceOf('left'),
    resourceOf('wheel', { api: 'core:component:encoder' }),
    resourceOf('broken', { api: 'core:component:encoder', state: Resource_State.FAILED }),
    resourceOf('climate', { api: 'core:component:sensor' }),
    resourceOf('bench', { api: 'core:component:board' }),
    resourceOf('eye', { api: 'core:component:camera' }),
  ];
  const offered = offeredReadings(
    resources,
    () => ['reading/celsius'],
    () => ['pot'],
  );
  expect(offered.map(({ resource, value }) => `${resource.split('/')[1]} ${value}`)).toEqual([
    'left speed',
    'left position',
    'left power',
    'wheel position',
    'climate reading/celsius',
    'bench analog/pot',
  ]);
});
