import { describe, expect, it } from 'vitest';
import { resourceOfLogger } from './logger-names.ts';

describe('the resource that a logger of a module is called after', () => {
  it.each([
    ['rdk:component:sensor/outside', 'core:component:sensor/outside'],
    ['rdk.resource_manager.rdk:component:motor/left', 'core:component:motor/left'],
    ['core.component.sensor.outside', 'core:component:sensor/outside'],
    ['acme.service.counter.first', 'acme:service:counter/first'],
    ['viam.rpc.server', undefined],
    ['component.sensor.x', undefined],
    ['', undefined],
    ['rdk:component:sensor/', undefined],
  ])('of %j is %j', (name, resource) => {
    expect(resourceOfLogger(name)).toBe(resource);
  });
});
