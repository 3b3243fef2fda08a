import { describe, expect, it } from 'vitest';
import { ServedApis } from './served-apis.ts';

const gripper = { api: 'acme:component:gripper', service: 'acme.component.gripper.v1.GripperService' };

describe('the APIs that can be called', () => {
  it('are those of the program', () => {
    const apis = new ServedApis();
    expect(apis.apiOfService('core.component.motor.v1.MotorService')).toBe('core:component:motor');
    expect(apis.apiOfService(gripper.service)).toBeUndefined();
  });

  it('are those of other processes as well, for as long as they are there', () => {
    const apis = new ServedApis();
    const remove = apis.add(gripper);
    expect(apis.apiOfService(gripper.service)).toBe(gripper.api);
    expect(apis.list().at(-1)).toEqual(gripper);
    remove();
    expect(apis.apiOfService(gripper.service)).toBeUndefined();
    apis.add(gripper);
  });

  it('each have one service, and each service one API', () => {
    const apis = new ServedApis();
    apis.add(gripper);
    for (const other of [
      { ...gripper, api: 'bolt:component:gripper' },
      { ...gripper, service: 'bolt.GripperService' },
      { api: 'core:component:motor', service: 'acme.MotorService' },
    ]) {
      expect(() => apis.add(other)).toThrow(`${other.api} by ${other.service} is added, but`);
    }
  });
});
