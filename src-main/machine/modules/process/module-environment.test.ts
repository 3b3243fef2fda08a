import { describe, expect, it } from 'vitest';
import {
  moduleArguments,
  moduleEnvironment,
  nodeFolderOf,
  type EnvironmentInputs,
  type MachineIdentity,
} from './module-environment.ts';

const noIdentity: MachineIdentity = {
  partId: '',
  machineId: '',
  fqdn: '',
  locationId: '',
  organizationId: '',
  apiKeyId: '',
  apiKey: '',
};
const identity: MachineIdentity = {
  partId: 'p1',
  machineId: 'm1',
  fqdn: 'bench.place.armature.local',
  locationId: 'l1',
  organizationId: 'o1',
  apiKeyId: 'k1',
  apiKey: 'secret',
};
const local: EnvironmentInputs = {
  inherited: {},
  nodeFolder: undefined,
  name: 'acme_motors',
  moduleId: '',
  root: '/opt/motors',
  dataFolder: '/home/a/module-data/local/acme_motors',
  home: '/home/a',
  address: '/tmp/1/module.sock',
  startupTimeout: '5m0s',
  resourceTimeout: '1m0s',
  identity: noIdentity,
  isTracing: false,
  env: {},
};
const always = {
  HOME: '/home/a',
  MODULE_NAME: 'acme_motors',
  MODULE_ROOT: '/opt/motors',
  MODULE_DATA: '/home/a/module-data/local/acme_motors',
  MODULE_ADDRESS: '/tmp/1/module.sock',
  MODULE_STARTUP_TIMEOUT: '5m0s',
  RESOURCE_CONFIGURATION_TIMEOUT: '1m0s',
};
const ofHub = {
  API_KEY: 'secret',
  API_KEY_ID: 'k1',
  MACHINE_PART_ID: 'p1',
  MACHINE_ID: 'm1',
  MACHINE_FQDN: 'bench.place.armature.local',
  LOCATION_ID: 'l1',
  PRIMARY_ORG_ID: 'o1',
};

function both(variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => [
      [`SVC_${name}`, value],
      [`VIAM_${name}`, value],
    ]),
  );
}

describe('the environment of a module', () => {
  it.each([
    ['local, no hub', local, always],
    ['local with an id, no hub', { ...local, moduleId: 'acme:motors' }, { ...always, MODULE_ID: 'acme:motors' }],
    ['local, a hub', { ...local, identity }, { ...always, ...ofHub }],
    ['while spans are recorded', { ...local, isTracing: true }, { ...always, MODULE_TRACING: '1' }],
    [
      'registry, a hub',
      { ...local, moduleId: 'acme:motors', identity },
      { ...always, ...ofHub, MODULE_ID: 'acme:motors' },
    ],
  ])('%s', (_title, facts, expected) => {
    expect(moduleEnvironment(facts)).toEqual(both(expected));
  });

  it('of a first run has no address', () => {
    const { MODULE_ADDRESS: _none, ...rest } = always;
    expect(moduleEnvironment({ ...local, address: undefined })).toEqual(both(rest));
  });

  it('takes from the server what programs need, and no secrets', () => {
    const inherited = {
      PATH: '/bin',
      HOME: '/root',
      LC_ALL: 'C',
      PYTHONPATH: '/lib',
      XDG_RUNTIME_DIR: '/run',
      https_proxy: 'http://p',
      LD_LIBRARY_PATH: '/l',
      SVC_LAUNCH_TOKEN: 'secret',
      VIAM_API_KEY: 'of somebody else',
      AWS_SECRET_ACCESS_KEY: 'secret',
      NODE_OPTIONS: '--inspect',
      EMPTY: undefined,
    };
    const { SVC_LAUNCH_TOKEN, VIAM_API_KEY, AWS_SECRET_ACCESS_KEY, NODE_OPTIONS, EMPTY, ...passed } = inherited;
    expect([SVC_LAUNCH_TOKEN, VIAM_API_KEY, AWS_SECRET_ACCESS_KEY, NODE_OPTIONS, EMPTY]).toHaveLength(5);
    expect(moduleEnvironment({ ...local, inherited })).toEqual({ ...passed, ...both(always) });
  });

  it('is overruled by the configuration', () => {
    const env = { PATH: '/mine', VIAM_MODULE_ROOT: '/else', X: '' };
    const made = moduleEnvironment({ ...local, inherited: { PATH: '/bin' }, env });
    expect(made).toMatchObject({ PATH: '/mine', VIAM_MODULE_ROOT: '/else', SVC_MODULE_ROOT: '/opt/motors', X: '' });
  });
});

describe('the arguments of a module', () => {
  it('are those that SDKs look for', () => {
    expect(moduleArguments('/tmp/m.sock', undefined, false)).toEqual(['/tmp/m.sock']);
    expect(moduleArguments('/tmp/m.sock', 'debug', false)).toEqual(['/tmp/m.sock', '--log-level=debug']);
    expect(moduleArguments('127.0.0.1:9', 'warn', true)).toEqual(['127.0.0.1:9', '--log-level=warn', '--tcp-mode']);
  });
});

describe('the Node that modules find', () => {
  it('is the one of the server, before any other', () => {
    const facts = { ...local, inherited: { PATH: '/usr/bin:/bin' }, nodeFolder: '/opt/node/bin' };
    expect(moduleEnvironment(facts)['PATH']).toBe('/opt/node/bin:/usr/bin:/bin');
    expect(moduleEnvironment({ ...facts, env: { PATH: '/mine' } })['PATH']).toBe('/mine');
  });

  it('is none where the server runs on something else', () => {
    expect(nodeFolderOf('/opt/node/bin/node')).toBe('/opt/node/bin');
    expect(nodeFolderOf('/opt/armature/electron')).toBeUndefined();
  });
});
