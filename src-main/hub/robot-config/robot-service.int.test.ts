import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  AgentInfo,
  CredentialsType,
  RobotConfig,
  RobotServiceDefinition,
} from '../../../proto/gen/core/app/v1/robot.ts';
import { LogServiceDefinition } from '../../../proto/gen/core/log/v1/log.ts';
import { Presence_State, PresenceServiceDefinition } from '../../../proto/gen/core/hub/v1/presence.ts';
import { ManualClock } from '../../base/clock.ts';
import { revisionOf } from '../../base/revision.ts';
import { StatusCode } from '../../base/status.ts';
import { robotConfigOf } from './robot-config.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { connectionFrom, TestHub, type AppCall } from '../testing/test-hub.ts';

const text = JSON.stringify({
  debug: true,
  enable_web_profile: true,
  disable_log_deduplication: true,
  disable_partial_start: true,
  log: [{ pattern: 'core.component.motor.*', level: 'debug' }],
  maintenance: { sensor_name: 'rdk:component:sensor/idle', maintenance_allowed_key: 'is_safe' },
  tracing: { enabled: true, otlpendpoint: 'collector:4317' },
  components: [
    {
      name: 'left',
      api: 'core:component:motor',
      model: 'gpio',
      depends_on: ['bench'],
      attributes: { max_rpm: 100, pins: { a: '11' } },
      frame: {
        parent: 'world',
        translation: { X: 1, Y: 2, Z: 3 },
        orientation: { type: 'ov_degrees', value: { x: 0, y: 0, z: 1, th: 90 } },
        geometry: { type: 'box', x: 10, y: 20, z: 30, Label: 'case' },
      },
      service_configs: [{ type: 'data_manager', attributes: { capture_methods: [] } }],
      log_configuration: { level: 'warn' },
    },
    { name: 'off', api: 'rdk:component:motor', model: 'fake', disabled: true },
    'no component',
  ],
  services: [{ name: 'eyes', namespace: 'core', type: 'vision', model: 'mlmodel', attributes: {} }],
  processes: [
    { id: 'p', name: '/bin/true', args: ['-x'], one_shot: true, stop_signal: 'SIGINT', stop_timeout: '2.5s' },
  ],
  modules: [
    { name: 'm', type: 'local', executable_path: '/opt/m', env: { A: 'b' }, first_run_timeout: '1h', tcp_mode: true },
  ],
  packages: [{ name: 'model', package: 'org/model', version: '1', type: 'ml_model' }],
  remotes: [
    {
      name: 'other',
      address: 'other:8080',
      insecure: true,
      reconnect_interval: '3s',
      auth: { entity: 'k', credentials: { type: 'api-key', payload: 'x' } },
    },
  ],
  network: {
    fqdn: 'bench.example',
    bind_address: ':8081',
    sessions: { heartbeat_window: '750ms' },
    traffic_tunnel_endpoints: [{ port: 22, connection_timeout: '10s' }],
  },
  auth: {
    handlers: [{ type: 'api-key', config: { mine: 'secret', keys: ['mine'] } }],
    tls_auth_entities: ['peer'],
  },
  jobs: [{ name: 'j', schedule: '5m', resource: 'left', method: 'DoCommand', command: { a: 1 } }],
});

describe.each(testStores)('RobotService of a hub on $name', (kind) => {
  let clock: ManualClock;
  let test: TestHub;
  let owner: AppCall;
  let id = '';
  let token = '';

  const call = <K extends keyof (typeof RobotServiceDefinition)['methods']>(
    method: K,
    request: Parameters<typeof test.call<typeof RobotServiceDefinition, K>>[2],
    as = token,
  ) => test.call(RobotServiceDefinition, method, request, { token: as, connection: connectionFrom('10.1.2.3', true) });

  beforeEach(async () => {
    clock = new ManualClock(Date.now());
    test = await TestHub.open(kind, clock);
    owner = await test.asOwner();
    const { parts } = await owner('getRobotParts', { robotId: test.first.machineId });
    id = parts[0]?.id ?? '';
    const { part } = await owner('createRobotPartSecret', { partId: id });
    token = await test.logIn({ id, secret: part?.secrets.at(-1)?.secret ?? '', type: 'robot-secret' });
  });
  afterEach(() => test.end());

  it('gives a part its configuration with all fields of the message', async () => {
    await owner('updateRobotPart', { id, robotConfigJson: text });
    const { config } = await call('config', { id });
    const { organizationId, locationId, machineId, ownerKey } = test.first;
    expect(config?.cloud).toMatchObject({ id, primaryOrgId: organizationId, locationId, machineId });
    expect(config?.cloud?.fqdn).toMatch(/^bench\.\w+\.armature\.local$/);
    expect(config?.cloud?.localFqdn).toBe(config?.cloud?.fqdn);
    expect(config?.cloud?.locationSecrets).toEqual([
      { id: locationId, secret: expect.stringMatching(/^[\w-]{43}$/) as string },
    ]);
    expect(config).toMatchObject({
      debug: true,
      enableWebProfile: true,
      disableLogDeduplication: true,
      disablePartialStart: true,
      revision: revisionOf(text),
      log: [{ pattern: 'core.component.motor.*', level: 'debug' }],
      tracing: { enabled: true, otlpEndpoint: 'collector:4317' },
      components: [
        {
          name: 'left',
          api: 'core:component:motor',
          dependsOn: ['bench'],
          attributes: { max_rpm: 100, pins: { a: '11' } },
          frame: {
            parent: 'world',
            translation: { x: 1, y: 2, z: 3 },
            orientation: { type: { $case: 'vectorDegrees', value: { z: 1, theta: 90 } } },
            geometry: { label: 'case', geometryType: { $case: 'box', value: { dimsMm: { x: 10, y: 20, z: 30 } } } },
          },
          serviceConfigs: [{ type: 'data_manager' }],
          logConfiguration: { level: 'warn' },
        },
      ],
      services: [{ name: 'eyes', type: 'vision', model: 'mlmodel' }],
      processes: [{ id: 'p', args: ['-x'], oneShot: true, stopSignal: 2, stopTimeout: { seconds: 2n, nanos: 5e8 } }],
      modules: [{ name: 'm', path: '/opt/m', env: { A: 'b' }, firstRunTimeout: { seconds: 3_600n }, tcpMode: true }],
      packages: [{ name: 'model', package: 'org/model' }],
      remotes: [
        {
          name: 'other',
          insecure: true,
          auth: { entity: 'k', credentials: { type: CredentialsType.API_KEY, payload: 'x' } },
          reconnectInterval: { seconds: 3n, nanos: 0 },
        },
      ],
      network: {
        fqdn: 'bench.example',
        bindAddress: ':8081',
        sessions: { heartbeatWindow: { seconds: 0n, nanos: 750e6 } },
        trafficTunnelEndpoints: [{ port: 22 }],
      },
      maintenance: {
        sensorName: { namespace: 'core', type: 'component', subtype: 'sensor', name: 'idle' },
        maintenanceAllowedKey: 'is_safe',
      },
      jobs: [{ name: 'j', method: 'DoCommand', command: { a: 1 } }],
    });
    expect(config?.components).toHaveLength(1);
    const [handler] = config?.auth?.handlers ?? [];
    expect(handler).toMatchObject({ type: CredentialsType.API_KEY, config: { mine: 'secret' } });
    expect(handler?.config?.['keys']).toEqual([ownerKey.id, 'mine']);
    // Nobody has the placeholder for a key of the hub, which knows only its hash.
    expect(handler?.config?.[ownerKey.id]).toMatch(/^[\w-]{43}$/);
    expect(handler?.config?.[ownerKey.id]).not.toBe(ownerKey.secret);
    expect(config?.auth?.tlsAuthEntities).toEqual(['peer']);
  });

  it('gives the same answer each time, and another secret to another location', async () => {
    const first = await call('config', { id });
    expect(await call('config', { id })).toEqual(first);
    const location = await owner('createLocation', { organizationId: test.first.organizationId, name: 'Elsewhere' });
    const { id: robotId } = await owner('newRobot', { name: 'other', location: location.location?.id ?? '' });
    const { parts } = await owner('getRobotParts', { robotId });
    const ownerToken = await test.logIn(test.first.ownerKey);
    const other = await call('config', { id: parts[0]?.id ?? '' }, ownerToken);
    expect(other.config?.cloud?.locationSecrets[0]?.secret).not.toBe(first.config?.cloud?.locationSecrets[0]?.secret);
    await expect(call('config', { id: parts[0]?.id ?? '' })).rejects.toMatchObject({ code: StatusCode.NOT_FOUND });
  });

  it('uses the namespaces of the public ecosystem for a viam caller', async () => {
    await owner('updateRobotPart', { id, robotConfigJson: text });
    const config = robotConfigOf(text, { cloud: cloudOf(id), apiKeys: {}, dialect: 'viam' });
    expect(config.components[0]?.api).toBe('rdk:component:motor');
    expect(config.maintenance?.sensorName?.namespace).toBe('rdk');
  });

  it('signs a certificate for the names of the part, and not for a name that it chose', async () => {
    const { tlsCertificate, tlsPrivateKey } = await call('certificate', { id });
    const certificate = new X509Certificate(tlsCertificate);
    const authority = new X509Certificate(test.hub.parts.authority.certificate);
    const { config } = await call('config', { id, agentInfo: AgentInfo.fromPartial({ host: 'hub.example' }) });
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.checkHost(config?.cloud?.fqdn ?? '')).toBeDefined();
    expect(certificate.checkIP('10.1.2.3')).toBeDefined();
    expect(certificate.checkHost('hub.example')).toBeUndefined();
    expect(tlsPrivateKey).toContain('PRIVATE KEY');
  });

  it('stores logs without sequence numbers, in order', async () => {
    const entry = (message: string) => ({
      host: 'pi',
      stack: '',
      level: 'WARN',
      time: new Date(clock.now()),
      loggerName: 'rdk.web',
      message,
      fields: [{ Key: 'port', Type: 11, Integer: 8080, String: '', Interface: null }],
      caller: { Defined: true, File: 'web.go', Line: 7 },
    });
    await call('log', { id, logs: [entry('one'), entry('two')] });
    await call('log', { id, logs: [entry('three')] });
    const ownerToken = await test.logIn(test.first.ownerKey);
    const { entries } = await test.call(LogServiceDefinition, 'query', { partId: id }, { token: ownerToken });
    expect(entries.map(({ message }) => message)).toEqual(['one', 'two', 'three']);
    expect(entries[0]).toMatchObject({ level: 3, logger: 'rdk.web', caller: 'web.go:7', fields: { port: 8080 } });
  });

  it('asks a part to restart once', async () => {
    expect(await call('needsRestart', { id })).toMatchObject({ id, mustRestart: false });
    await owner('markPartForRestart', { partId: id });
    expect(await call('needsRestart', { id })).toMatchObject({
      mustRestart: true,
      restartCheckInterval: { seconds: 5n, nanos: 0 },
    });
    expect(await call('needsRestart', { id })).toMatchObject({ mustRestart: false });
  });

  it('a part without a stream is online as long as it makes requests', async () => {
    const agentInfo = AgentInfo.fromPartial({ host: 'pi', version: '0.90', platform: 'linux/arm64', os: 'linux' });
    await call('config', { id, agentInfo });
    const ownerToken = await test.logIn(test.first.ownerKey);
    const state = async () => {
      const scope = { partId: id, machineId: '', locationId: '', organizationId: '' };
      const { parts } = await test.call(PresenceServiceDefinition, 'list', { scope }, { token: ownerToken });
      return parts[0];
    };
    expect(await state()).toMatchObject({ state: Presence_State.ONLINE, host: 'pi', platform: 'linux/arm64' });
    clock.advance(30_000);
    await call('config', { id, agentInfo });
    clock.advance(30_000);
    expect((await state())?.state).toBe(Presence_State.ONLINE);
    clock.advance(10_000);
    expect((await state())?.state).toBe(Presence_State.OFFLINE);
  });
});

describe('a text as a message', () => {
  it('is valid whatever the text contains', () => {
    const keys = ['components', 'services', 'modules', 'network', 'auth', 'frame', 'jobs', 'remotes', 'processes'];
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), fc.array(tie('any')), tie('object')),
      object: fc.dictionary(fc.constantFrom(...keys, 'name', 'api', 'port', 'type', 'geometry', 'keys'), tie('any')),
    })).object;
    fc.assert(
      fc.property(value, (document) => {
        const options = { cloud: cloudOf('p'), apiKeys: { keys: [] }, dialect: 'core' } as const;
        const message = robotConfigOf(JSON.stringify(document), options);
        RobotConfig.decode(RobotConfig.encode(message).finish());
      }),
    );
  });
});

function cloudOf(id: string) {
  return RobotConfig.fromPartial({ cloud: { id } }).cloud ?? expect.fail('no cloud');
}
