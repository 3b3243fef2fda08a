import { describe, expect, it } from 'vitest';
import { GetPositionRequest, MotorServiceDefinition } from '../../../../proto/gen/core/component/motor/v1/motor.ts';
import type { ResourceView } from '../../../shared/machine/machine-view.ts';
import { glanceAt } from '../../control/glance.ts';
import { livePolls } from './live-polls.ts';

const motor = { fullName: 'core:component:motor/left', state: 'ready' } as ResourceView;
const glances = [glanceAt(MotorServiceDefinition.methods.getPosition, {}, () => [])];

describe('what is polled beside a form', () => {
  it('asks the resource of the form', () => {
    const [asked] = livePolls(motor, glances).map((each) => each.asked);
    expect(asked).toMatchObject({ resource: motor.fullName, method: { name: 'GetPosition' } });
    expect(GetPositionRequest.decode(asked?.request ?? new Uint8Array()).name).toBe('left');
  });

  it('is nothing while it does not run', () => {
    expect(livePolls({ ...motor, state: 'failed' }, glances)).toEqual([]);
  });
});
