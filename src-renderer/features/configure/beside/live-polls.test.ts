import { describe, expect, it } from 'vitest';
import { Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { GetPositionRequest, MotorServiceDefinition } from '../../../../proto/gen/core/component/motor/v1/motor.ts';
import { resourceOf } from '../../../shared/machine/resource.fixture.ts';
import { glanceAt } from '../../control/values/glance.ts';
import { livePolls } from './live-polls.ts';

const motor = resourceOf('left');
const glances = [glanceAt(MotorServiceDefinition.methods.getPosition, {}, () => [])];

describe('the polls beside a form', () => {
  it('ask the resource of the form', () => {
    const [asked] = livePolls(motor, glances).map((each) => each.asked);
    expect(asked).toMatchObject({ resource: motor.name, method: { name: 'GetPosition' } });
    expect(GetPositionRequest.decode(asked?.request ?? new Uint8Array()).name).toBe('left');
  });

  it('are none while it does not run', () => {
    expect(livePolls({ ...motor, state: Resource_State.FAILED }, glances)).toEqual([]);
  });
});
