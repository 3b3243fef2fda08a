import { describe, expect, it } from 'vitest';
import { PartServiceDefinition } from '../../proto/gen/core/hub/v1/part.ts';
import { serve, type Feature } from './access/feature.ts';
import { joinServices } from './joined-services.ts';

const identify = (): never => {
  throw new Error('nobody calls');
};

const restarts: Feature = { services: [serve(PartServiceDefinition, { getConfig: () => ({ config: undefined }) })] };
const logs: Feature = { services: [serve(PartServiceDefinition, { uploadLogs: () => ({ storedSeq: 0n }) })] };

describe('services of several features', () => {
  it('become one service with the calls of all of them', () => {
    const joined = joinServices([restarts, logs], identify);
    expect(joined.map(([definition]) => definition)).toEqual([PartServiceDefinition]);
    expect(Object.keys(joined[0]?.[1] ?? {})).toEqual(['getConfig', 'uploadLogs']);
  });

  it('may not answer the same call twice', () => {
    expect(() => joinServices([restarts, logs, restarts], identify)).toThrow('core.hub.v1.PartService/getConfig');
  });
});
