import { describe, expect, it } from 'vitest';
import type { Method } from '../rpc/router.ts';
import { isOpenMethod } from './loopback-methods.ts';

const ours = { requestType: {} } as unknown as Method;
const method = (path: string, like: Partial<Method> = ours): Method => {
  const [, service = '', name = ''] = path.split('/');
  return { ...like, path, service, name } as Method;
};
/** Of a module, or of nobody: the program has no definition of it. */
const foreign: Partial<Method> = { requestType: undefined };

describe('what any program of this computer may call', () => {
  it('leaves a service of ours closed that nobody has listed', () => {
    expect(isOpenMethod(method('/core.brandnew.v1.BrandNewService/Look'))).toBe(false);
    expect(isOpenMethod(method('/core.robot.v1.RobotService/BrandNew'))).toBe(false);
  });

  it('is what modules serve for their resources, but no shell', () => {
    expect(isOpenMethod(method('/acme.gizmo.v1.GizmoService/Spin', foreign))).toBe(true);
    expect(isOpenMethod(method('/core.service.shell.v1.ShellService/Shell', foreign))).toBe(false);
  });
});
