import { describe, expect, it } from 'vitest';
import { methodTraits } from '../../../proto/method-traits.ts';
import type { Method } from '../method.ts';
import { isOpenHere, isOpenToAll } from './open-methods.ts';

/** @param isOurs whether this program has a definition of it; else a module serves it, or nobody */
const method = (service: string, name: string, isOurs = true): Method =>
  ({ service, name, traits: methodTraits(service, name), requestType: isOurs ? {} : undefined }) as unknown as Method;

describe('what needs no proof', () => {
  it.each([
    ['core.component.motor.v1.MotorService', 'SetPower', true],
    ['core.robot.v1.RobotService', 'Shutdown', true],
    ['core.robot.v1.RobotService', 'Tunnel', false],
    ['core.config.v1.ConfigService', 'Get', false],
    ['core.log.v1.LogService', 'Query', false],
    ['core.hub.v1.RegistryService', 'Download', false],
    ['core.service.shell.v1.ShellService', 'Shell', false],
    // Nobody has said what they are.
    ['core.brandnew.v1.BrandNewService', 'Look', false],
    ['core.robot.v1.RobotService', 'BrandNew', false],
  ])('for programs of this computer: %s/%s %s', (service, name, isOpen) => {
    expect(isOpenHere(method(service, name))).toBe(isOpen);
    expect(isOpenToAll(method(service, name))).toBe(false);
  });

  it('is open to programs of this computer where it is open to all', () => {
    const check = method('grpc.health.v1.Health', 'Check');
    expect([isOpenToAll(check), isOpenHere(check)]).toEqual([true, true]);
  });

  it('is, for programs of this computer, what modules serve for their resources, but no shell', () => {
    expect(isOpenHere(method('acme.gizmo.v1.GizmoService', 'Spin', false))).toBe(true);
    expect(isOpenHere(method('core.service.shell.v1.ShellService', 'Shell', false))).toBe(false);
  });
});
