import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import type { Principal } from '../principal.ts';
import { AccessControl } from './access-control.ts';
import { keyFromText, type AccessPolicy } from './access-policy.ts';
import { fakeCall } from './fake-call.ts';
import { requirePermission, roleOf } from './role-check.ts';

const policy: AccessPolicy = {
  authEnabled: true,
  apiKeys: [
    keyFromText('configured', 'a'),
    keyFromText('owner', 'b', 'owner'),
    keyFromText('operator', 'c', 'operator'),
    keyFromText('later', 'd', 'unknown'),
    { ...keyFromText('modules', 'e', 'operator'), isOfModules: true },
  ],
  launchToken: 'launch',
  fqdn: 'bench.local',
  hostnames: [],
  allowedOrigins: [],
  allowInsecureCreds: false,
};

const access = () => new AccessControl(policy, new ManualClock(), silentLogger, () => true);
const key = (entity: string): Principal => ({ kind: 'api-key', entity });
const kind = (of: Principal['kind']): Principal => ({ kind: of, entity: of });

/** The result of calling a method. */
function outcome(from: AccessControl, principal: Principal, service: string, name: string): string {
  const call = Object.assign(fakeCall({ path: `/${service}/${name}` }), { principal });
  try {
    requirePermission(call, from);
    return 'let in';
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
}

describe('roles at a machine', () => {
  it.each([
    [kind('local'), 'owner'],
    [kind('loopback'), 'owner'],
    [kind('launch-token'), 'owner'],
    [kind('hub'), 'owner'],
    [key('configured'), 'owner'],
    [key('owner'), 'owner'],
    [key('operator'), 'operator'],
    [key('modules'), 'operator'],
    [kind('module'), 'operator'],
    [key('later'), undefined],
    [key('nobody'), undefined],
    [kind('anonymous'), undefined],
    [kind('part-secret'), undefined],
    [kind('module-key'), undefined],
  ])('%o is %s', (principal, role) => {
    expect(roleOf(principal, access())).toBe(role);
  });

  it.each([
    ['core.config.v1.ConfigService', 'Apply', 'access.denied', 'let in'],
    ['core.config.v1.ConfigService', 'Get', 'let in', 'let in'],
    ['core.config.v1.ConfigService', 'NotThoughtOfYet', 'access.denied', 'let in'],
    ['core.service.shell.v1.ShellService', 'Shell', 'access.denied', 'let in'],
    ['core.newthing.v1.NewService', 'Do', 'access.denied', 'let in'],
    ['core.component.motor.v1.MotorService', 'SetPower', 'let in', 'let in'],
    ['acme.component.gizmo.v1.GizmoService', 'DoOne', 'let in', 'let in'],
    ['grpc.health.v1.Health', 'Check', 'let in', 'let in'],
  ])('%s/%s: an operator is %s, an owner %s', (service, name, operator, owner) => {
    expect(outcome(access(), key('operator'), service, name)).toBe(operator);
    expect(outcome(access(), key('owner'), service, name)).toBe(owner);
  });

  it('a role that this program does not know may do nothing, and that is counted', () => {
    const control = access();
    expect(outcome(control, key('later'), 'core.config.v1.ConfigService', 'Get')).toBe('access.denied');
    expect(control.refusals.count('not-permitted')).toBe(1);
  });

  it('the role of a key is the one that it has at the call', () => {
    const control = access();
    control.setPolicy({ ...policy, apiKeys: [keyFromText('owner', 'b', 'operator')] });
    expect(outcome(control, key('owner'), 'core.config.v1.ConfigService', 'Apply')).toBe('access.denied');
  });
});
