import { describe, expect, it } from 'vitest';
import { Resource_State, type Resource } from '../../../../proto/gen/core/status/v1/status.ts';
import { MotorServiceDefinition } from '../../../../proto/gen/core/component/motor/v1/motor.ts';
import type { WatchReading, WatchRequest } from '../../../shared/machine/poll.ts';
import { resourceOf } from '../../../shared/machine/resource.fixture.ts';
import { movingOf } from './moving.ts';

function resource(name: string, kind = 'motor', state: Resource_State = Resource_State.READY): Resource {
  return resourceOf(name, { api: `core:component:${kind}`, state });
}

function reading(id: string, isMoving: boolean | undefined): WatchReading {
  const value = isMoving === undefined ? undefined : { isMoving };
  return { id, method: MotorServiceDefinition.methods.isMoving, value, error: '', machineAt: 0, ageMs: 0, skipped: 0 };
}

/** Yields the given readings, then waits for the abort, like a stream of polls. */
function machineThatSays(answers: Readonly<Record<string, boolean | undefined>>, asked: WatchRequest[] = []) {
  return {
    async *watchReadings(requests: readonly WatchRequest[], signal: AbortSignal): AsyncGenerator<WatchReading> {
      asked.push(...requests);
      for (const { id } of requests) if (id in answers) yield reading(id, answers[id]);
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cut off'))));
    },
  };
}

describe('finding what moves before a module is restarted', () => {
  it('asks motors and servos that run, and nothing else', async () => {
    const asked: WatchRequest[] = [];
    const machine = machineThatSays({ 'core:component:motor/left': true, 'core:component:servo/arm': false }, asked);
    const resources = [
      resource('left'),
      resource('arm', 'servo'),
      resource('climate', 'sensor'),
      resource('right', 'motor', Resource_State.FAILED),
    ];
    expect(await movingOf(machine, resources)).toEqual({ moving: ['left'], unknown: [] });
    expect(asked.map(({ id, method }) => `${id} ${method.name}`)).toEqual([
      'core:component:motor/left IsMoving',
      'core:component:servo/arm IsMoving',
    ]);
  });

  it('does not know it of resources that fail or do not answer in time', async () => {
    const machine = machineThatSays({ 'core:component:motor/left': undefined });
    expect(await movingOf(machine, [resource('left'), resource('right')], 5)).toEqual({
      moving: [],
      unknown: ['left', 'right'],
    });
  });

  it('asks nothing if no resource can move', async () => {
    const machine = {
      watchReadings: () => {
        throw new Error('asked');
      },
    };
    expect(await movingOf(machine, [resource('climate', 'sensor')])).toEqual({ moving: [], unknown: [] });
  });
});
