import { spawnSync } from 'node:child_process';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { methodsServed } from '../harness/reflected-client.ts';
import { benchConfig, runArmature, startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

const bench = await readFile(benchConfig, 'utf8');

/**
 * Calls that any program of this computer may make without credentials: whole services, and methods of one. Everything
 * else needs credentials.
 */
const open: Readonly<Record<string, 'all' | readonly string[]>> = {
  'core.component.board.v1.BoardService': 'all',
  'core.component.camera.v1.CameraService': 'all',
  'core.service.datamanager.v1.DataManagerService': ['DoCommand', 'GetStatus', 'Sync'],
  'core.component.encoder.v1.EncoderService': 'all',
  'core.component.generic.v1.GenericService': 'all',
  'core.component.motor.v1.MotorService': 'all',
  'core.component.powersensor.v1.PowerSensorService': 'all',
  'core.component.sensor.v1.SensorService': 'all',
  'core.component.servo.v1.ServoService': 'all',
  'core.component.switch.v1.SwitchService': 'all',
  'core.service.generic.v1.GenericService': 'all',
  'core.service.mlmodel.v1.MLModelService': 'all',
  'core.service.vision.v1.VisionService': 'all',
  'core.watch.v1.WatchService': 'all',
  'core.robot.v1.RobotService': [
    'BlockForOperation',
    'CancelOperation',
    'FrameSystemConfig',
    'GetCloudMetadata',
    'GetMachineStatus',
    'GetModelsFromModules',
    'GetOperations',
    'GetPose',
    'GetSessions',
    'GetStatus',
    'GetVersion',
    'ListTunnels',
    'Log',
    'ResourceNames',
    'ResourceRPCSubtypes',
    'RestartModule',
    'SendSessionHeartbeat',
    'Shutdown',
    'StartSession',
    'StopAll',
    'StreamStatus',
    'TransformPCD',
    'TransformPose',
  ],
  'grpc.health.v1.Health': 'all',
  'grpc.reflection.v1.ServerReflection': 'all',
  'grpc.reflection.v1alpha.ServerReflection': 'all',
  'proto.rpc.v1.AuthService': 'all',
  'proto.rpc.webrtc.v1.SignalingService': ['Call', 'CallUpdate', 'OptionalWebRTCConfig', 'ReportConnectionMetadata'],
};

/** No message can begin like this: a method that accepts the call returns an error before it does anything. */
const NO_MESSAGE = Uint8Array.of(0xff);

let server: ServerProcess;
let stranger: GrpcClient;

beforeAll(async () => {
  server = await startServer({ config: bench });
  stranger = new GrpcClient(server.url);
});
afterAll(async () => {
  stranger.close();
  expect(await server.stop()).toBe(0);
});

async function isOpen(path: string): Promise<boolean> {
  const ask = (): Promise<status> =>
    stranger.raw(path, NO_MESSAGE).then(
      () => status.OK,
      (error: { code: status }) => error.code,
    );
  let code = await ask();
  // A connection without credentials is closed after a number of rejections; the client opens another.
  if (code === status.UNAVAILABLE) code = await ask();
  return code !== status.UNAUTHENTICATED;
}

describe('a program of another user of this computer, which proves nothing', () => {
  it('may call what the table names, under each of its names, and no other method of a running station', async () => {
    const found: Record<string, string[]> = {};
    const wanted: Record<string, string[]> = {};
    for (const { service, methods } of await methodsServed(server.url)) {
      const canonical = service.replace(/^viam\./, 'core.');
      const listed = open[canonical] ?? [];
      wanted[service] = [...methods].filter((method) => listed === 'all' || listed.includes(method)).sort();
      found[service] = [];
      for (const method of [...methods].sort()) {
        if (await isOpen(`/${service}/${method}`)) found[service].push(method);
      }
    }
    expect(found).toEqual(wanted);
    for (const name of Object.keys(open)) expect(Object.keys(found)).toContain(name);
    for (const name of ['core.config.v1.ConfigService', 'core.log.v1.LogService', 'core.app.v1.AppService']) {
      expect(found[name]).toEqual([]);
    }
  });

  it('is told what proves it, and that a wrong token is none', async () => {
    const get = (headers: Record<string, string>): Promise<unknown> =>
      stranger.call(ConfigServiceDefinition, 'get', { partId: '' }, { headers });
    await expect(get({})).rejects.toMatchObject({
      code: status.UNAUTHENTICATED,
      details: expect.stringMatching(/socket.*API key|API key.*socket/) as string,
    });
    await expect(get({ authorization: 'Bearer wrong' })).rejects.toMatchObject({
      code: status.UNAUTHENTICATED,
      details: expect.stringContaining('not valid') as string,
    });
    expect(await get({ authorization: `Bearer ${server.token}` })).toMatchObject({ text: bench });
  });

  it('drives, reads and stops as before', async () => {
    const call = <K extends keyof (typeof RobotServiceDefinition)['methods']>(
      method: K,
      request: object,
    ): Promise<unknown> => stranger.call(RobotServiceDefinition, method, request as never);
    expect(await call('getMachineStatus', {})).toMatchObject({ resources: expect.any(Array) as unknown[] });
    expect(await call('resourceNames', {})).toMatchObject({ resources: expect.any(Array) as unknown[] });
    const { id } = await stranger.call(RobotServiceDefinition, 'startSession', { resume: '' });
    const headers = { 'viam-sid': id };
    await stranger.call(MotorServiceDefinition, 'setPower', { name: 'left', powerPct: 0.5 }, { headers });
    await stranger.call(RobotServiceDefinition, 'sendSessionHeartbeat', { id });
    expect(await stranger.call(MotorServiceDefinition, 'isMoving', { name: 'left' })).toEqual({ isMoving: true });
    await call('stopAll', { extra: [] });
    expect(await stranger.call(MotorServiceDefinition, 'isMoving', { name: 'left' })).toEqual({ isMoving: false });
  });

  it('is told of a method that nobody serves that there is none', async () => {
    await expect(stranger.raw('/viam.component.motor.v9.MotorService/Dance', NO_MESSAGE)).rejects.toMatchObject({
      code: status.UNIMPLEMENTED,
    });
  });
});

describe('the user that the server runs as', () => {
  const socketOf = async (home: string): Promise<string> => {
    const [name = ''] = await readdir(path.join(home, 'home', 'run'));
    return path.join(home, 'home', 'run', name);
  };

  it('is proved by a socket that nobody else can open, and is the author of a change, whatever the change says', async () => {
    const socket = await socketOf(server.home);
    expect(path.basename(socket)).toMatch(new RegExp(`^${server.port}-[0-9a-f]{12}\\.sock$`));
    expect((await stat(socket)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(socket))).mode & 0o777).toBe(0o700);
    const own = new GrpcClient(`unix:${socket}`);
    const { text, revision } = await own.call(ConfigServiceDefinition, 'get', { partId: '' });
    const asked = { partId: '', text: `${text} `, baseRevision: revision, author: 'somebody else', note: '' };
    const { outcome } = await own.call(ConfigServiceDefinition, 'apply', asked);
    expect(outcome?.$case).toBe('applied');
    const newest = async (): Promise<string | undefined> => {
      const page = { partId: '', limit: 1, pageToken: '', text: '', tagged: false, resource: '' };
      const { versions } = await own.call(ConfigServiceDefinition, 'history', {
        ...page,
        start: undefined,
        end: undefined,
      });
      return versions[0]?.author;
    };
    await until('the history has the change', async () => (await newest()) === os.userInfo().username, 10_000);
    own.close();
  });

  it.runIf(process.getuid?.() === 0)('is not another user, who cannot open the socket', async () => {
    const socket = await socketOf(server.home);
    // The folders above are open, as below a usual home folder: only the folder of the socket is not.
    for (const folder of [server.home, path.join(server.home, 'home')]) await chmod(folder, 0o755);
    const program = `require('node:net').connect(${JSON.stringify(socket)})
      .on('connect', () => { console.log('connected'); process.exit(); })
      .on('error', (error) => console.log(error.code));`;
    const tryAs = (uid: number): string => {
      const { stdout } = spawnSync('/proc/self/exe', ['-e', program], {
        argv0: 'node',
        uid,
        gid: uid,
        encoding: 'utf8',
        cwd: '/',
      });
      return stdout.trim();
    };
    expect(tryAs(0)).toBe('connected');
    expect(tryAs(65_534)).toBe('EACCES');
    await chmod(path.dirname(socket), 0o755);
    expect(tryAs(65_534)).toBe('EACCES');
    await chmod(path.dirname(socket), 0o700);
  });

  it('is what commands use, which find the socket by the port', async () => {
    const found = await runArmature(['module', 'search', '--hub', server.url], {
      SVC_HOME: path.join(server.home, 'home'),
    });
    expect([found.code, found.stderr]).toEqual([0, '']);
    const elsewhere = await runArmature(['module', 'search', '--hub', server.url], { SVC_HOME: '/tmp/no-such-home' });
    expect(elsewhere.code).toBe(1);
    expect(elsewhere.stderr).toMatch(/SVC_HOME.*API key/);
  });
});
