import { describe, expect, it } from 'vitest';
import { ArmatureError } from '../../base/errors.ts';
import { foreignService } from './foreign-service.ts';
import { gizmoDescriptors } from '../testing/foreign-descriptors.ts';

describe('a service of another process', () => {
  it('has the methods of its descriptors, and those that move are monitored', () => {
    const { fullName, methods } = foreignService('acme.gizmo.v1.GizmoService', gizmoDescriptors('acme'));
    expect(fullName).toBe('acme.gizmo.v1.GizmoService');
    const common = { service: fullName, hasResource: true, requestType: undefined, answerShape: undefined };
    const traits = (moves: boolean) => ({ needs: 'machine.operate', moves });
    const unary = { requestStream: false, responseStream: false };
    expect(methods).toEqual([
      { ...common, ...unary, name: 'Turn', path: `/${fullName}/Turn`, traits: traits(true) },
      {
        ...common,
        ...unary,
        name: 'Watch',
        path: `/${fullName}/Watch`,
        traits: traits(false),
        responseStream: true,
      },
      { ...common, ...unary, name: 'Feed', path: `/${fullName}/Feed`, traits: traits(false), requestStream: true },
    ]);
  });

  it.each(['viam', 'core'])('is known by our spelling where its descriptors say %s', (vendor) => {
    for (const asked of ['viam.gizmo.v1.GizmoService', 'core.gizmo.v1.GizmoService']) {
      const { fullName, methods } = foreignService(asked, gizmoDescriptors(vendor));
      expect([fullName, methods[0]?.path]).toEqual(['core.gizmo.v1.GizmoService', '/core.gizmo.v1.GizmoService/Turn']);
    }
  });

  it('says so where its descriptors do not have it', () => {
    const read = (): unknown => foreignService('acme.gizmo.v1.Other', gizmoDescriptors('acme'));
    expect(read).toThrow('The descriptors of the service acme.gizmo.v1.Other do not define it; they hold gizmo.proto.');
    expect(read).toThrow(ArmatureError);
  });
});
