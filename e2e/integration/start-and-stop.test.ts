import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { connect as connectTcp, createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { BoardServiceDefinition } from '../../proto/gen/core/component/board/v1/board.ts';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import { Machine_State, StatusServiceDefinition, type WatchResponse } from '../../proto/gen/core/status/v1/status.ts';
import { makeCertificate, withCertificate } from '../harness/certificate.ts';
import { MachineClient } from '../harness/machine-client.ts';
import {
  benchConfig,
  runArmature,
  startServer,
  type ServerOptions,
  type ServerProcess,
} from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

const bench = await readFile(benchConfig, 'utf8');
const running: ServerProcess[] = [];
const clients: MachineClient[] = [];

async function serve(options: Partial<ServerOptions> = {}): Promise<ServerProcess> {
  const server = await startServer({ config: bench, ...options });
  running.push(server);
  return server;
}

function connect(server: ServerProcess): MachineClient {
  const client = new MachineClient(server);
  clients.push(client);
  return client;
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const server of running.splice(0)) await server.kill('SIGKILL');
});

describe('a start', () => {
  it('prints "serving on <url>" when calls are answered, then "open <url with token>"', async () => {
    const server = await serve();
    const [first, second, ...rest] = server.stdout().trimEnd().split('\n');
    expect(first).toBe(`serving on ${server.url}`);
    expect(second).toMatch(new RegExp(`^open ${server.url}/#token=[\\w-]{43}$`));
    expect(rest).toEqual([]);
    await expect(connect(server).resourceNames()).resolves.toContain('motor/turntable');
  });

  it('on localhost:0 takes a free port, on 127.0.0.1 and ::1 alike', async () => {
    const [one, two] = await Promise.all([serve(), serve()]);
    expect(one.port).toBeGreaterThan(0);
    expect(one.port).not.toBe(two.port);
    for (const host of ['127.0.0.1', '[::1]']) {
      const response = await fetch(`http://${host}:${one.port}/healthz/live`);
      expect([response.status, await response.text()]).toEqual([200, 'live\n']);
    }
  });

  it('says over HTTP that it lives and that it is ready', async () => {
    const { url } = await serve();
    const ready = await fetch(`${url}/healthz/ready`);
    expect([ready.status, await ready.text()]).toEqual([200, 'running\n']);
  });
});

describe('an orderly stop', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('by %s exits 0 and says so in the log', async (signal) => {
    const server = await serve();
    await connect(server).setPower('turntable', 0.5);
    expect(await server.kill(signal)).toBe(0);
    expect(server.stderr()).toMatch(new RegExp(`stopping: ${signal}[^]*stopped`));
  });

  it('ends motion first: GoFor is answered, motors go before the encoder and the board they need', async () => {
    const server = await serve();
    const client = connect(server);
    const stream = client.grpc.stream(StatusServiceDefinition, 'watch', {});
    const removed: string[] = [];
    const states: Machine_State[] = [];
    stream.on('data', ({ event }: WatchResponse) => {
      if (event?.$case !== 'changes') return;
      if (event.value.machine !== undefined) states.push(event.value.machine.state);
      removed.push(...event.value.removed);
    });
    stream.on('error', () => undefined);
    await once(stream, 'data');
    const going = client.goFor('turntable', 60, 1_000).then(
      () => 'arrived',
      (error: { code: number }) => error.code,
    );
    await until('the motor turns', () => client.isMoving('turntable'), 5_000);
    expect(await server.kill('SIGTERM')).toBe(0);
    expect(await going).not.toBe('arrived');
    expect([status.UNAVAILABLE, status.CANCELLED, status.ABORTED]).toContain(await going);
    expect(states).toContain(Machine_State.STOPPING);
    const place = (name: string): number => removed.findIndex((each) => each.endsWith(`/${name}`));
    expect(place('turntable')).toBeGreaterThanOrEqual(0);
    expect(place('turntable')).toBeLessThan(place('wheel'));
    expect(place('wheel')).toBeLessThan(place('bench'));
    expect(place('left')).toBeLessThan(place('bench'));
  });

  it('a second signal ends a stop that takes its time at once, with exit code 4', async () => {
    const server = await serve();
    // An open stream delays the shutdown by the grace period of calls.
    const stream = connect(server).grpc.stream(StatusServiceDefinition, 'watch', {});
    stream.on('error', () => undefined);
    await once(stream, 'data');
    server.process.kill('SIGTERM');
    await until('the stop has begun', () => server.stderr().includes('stopping: SIGTERM'), 5_000);
    const exited = once(server.process, 'exit');
    // For half a second repeated signals count as one: npm and the terminal send it more than once.
    await until('the program has ended', () => !server.process.kill('SIGTERM'), 5_000, 600);
    expect((await exited)[0]).toBe(4);
  });

  it('RobotService/Shutdown is answered, and the program exits 0', async () => {
    const server = await serve();
    const exited = once(server.process, 'exit');
    await connect(server).grpc.call(RobotServiceDefinition, 'shutdown', {});
    expect((await exited)[0]).toBe(0);
  });
});

describe('exit code 2', () => {
  it('without -config, with the usage', async () => {
    const { code, stdout, stderr } = await runArmature(['server']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/-config is missing[^]*Usage: armature server -config <filename>/);
  });

  it('for an unknown option, with the nearest one', async () => {
    const { code, stderr } = await runArmature(['server', '-confg', 'machine.json']);
    expect(code).toBe(2);
    expect(stderr).toContain('-confg is not an option. Did you mean -config?');
  });

  it('for a word that is no command, and for none', async () => {
    const wrong = await runArmature(['serve']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('"serve" is no command') as string]);
    expect((await runArmature([])).code).toBe(2);
  });

  it('for text that is no JSON, naming file, line and column', async () => {
    const file = path.join(await temporaryFolder(), 'broken.json');
    await writeFile(file, '{\n  "components": [\n    { "name": "a" "api": 1 }\n  ]\n}\n');
    const { code, stdout, stderr } = await runArmature(['server', '-config', file]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^${file}:3:19: error config.syntax `, 'm'));
  });

  it('for a file that is not there', async () => {
    const { code, stderr } = await runArmature(['server', '-config', '/no/such/machine.json']);
    expect(code).toBe(2);
    expect(stderr).toContain('/no/such/machine.json cannot be read: there is no such file');
  });

  it('for a time limit in the environment that is none, naming it', async () => {
    const environment = { SVC_RESOURCE_CONFIGURATION_TIMEOUT: 'soon' };
    const { code, stderr } = await runArmature(['server', '-config', benchConfig], environment);
    expect(code).toBe(2);
    expect(stderr).toContain('SVC_RESOURCE_CONFIGURATION_TIMEOUT is "soon"; it must be a duration above zero');
  });

  it('for a -shareddir that is no folder', async () => {
    for (const folder of ['/no/such/folder', benchConfig]) {
      const { code, stderr } = await runArmature(['server', '-config', benchConfig, '-shareddir', folder]);
      expect(code).toBe(2);
      expect(stderr).toContain(`-shareddir: ${folder} is`);
    }
  });

  it('for certificate files that are missing or no certificate, naming them', async () => {
    const folder = await temporaryFolder();
    const [certFile, keyFile] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
    const file = path.join(folder, 'machine.json');
    await writeFile(file, withCertificate(bench, { certFile, keyFile }));
    for (const words of ['cannot be read', 'are no certificate with its key in PEM']) {
      const { code, stderr } = await runArmature(['server', '-config', file]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(words) as string]);
      expect(stderr).toContain(certFile);
      await Promise.all([certFile, keyFile].map((each) => writeFile(each, 'no certificate')));
    }
  });

  it('for a log file that cannot be opened', async () => {
    const { code, stderr } = await runArmature(['server', '-config', benchConfig, '-log-file', '/no/such/x.log']);
    expect(code).toBe(2);
    expect(stderr).toContain('/no/such/x.log cannot be written');
  });
});

describe('exit code 1', () => {
  it('after a fault of the program itself, which stops motors all the same and is in the log', async () => {
    const faulty = path.join(await temporaryFolder(), 'faulty.mjs');
    await writeFile(faulty, "process.on('SIGUSR2', () => { throw new Error('a wire of the program is loose'); });\n");
    const server = await serve({ environment: { NODE_OPTIONS: `--import ${pathToFileURL(faulty).href}` } });
    const client = connect(server);
    const going = client.goFor('turntable', 60, 1_000).then(
      () => status.OK,
      (error: { code: status }) => error.code,
    );
    await until('the motor turns', () => client.isMoving('turntable'), 5_000);
    expect(await server.kill('SIGUSR2')).toBe(1);
    expect(await going).not.toBe(status.OK);
    expect(server.stderr()).toMatch(/ERROR[^]*a wire of the program is loose[^]*stopped/);
  });
});

describe('exit code 3', () => {
  it('for a port that is taken, naming it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const file = path.join(await temporaryFolder(), 'machine.json');
    await writeFile(file, JSON.stringify({ network: { bind_address: `localhost:${port}` } }));
    const { code, stdout, stderr } = await runArmature(['server', '-config', file]);
    other.close();
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain(String(port));
  });
});

describe('options', () => {
  it('-version and -help print and exit 0', async () => {
    const version = await runArmature(['server', '-version']);
    expect([version.code, version.stderr]).toEqual([0, '']);
    expect(version.stdout).toMatch(/^armature \d+\.\d+\.\d+\S*\n$/);
    const help = await runArmature(['server', '-help']);
    expect(help.code).toBe(0);
    for (const option of ['-config <filename>', '-untrusted-env', '-webrtc']) expect(help.stdout).toContain(option);
  });

  it('-dump-resources writes every model, sorted, for the owner only, and exits 0', async () => {
    const file = path.join(await temporaryFolder(), 'resources.json');
    const { code } = await runArmature(['server', '-dump-resources', file]);
    expect(code).toBe(0);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const entries = JSON.parse(await readFile(file, 'utf8')) as {
      api: string;
      model: string;
      attribute_schema: object;
    }[];
    const names = entries.map(({ api, model }) => `${api} ${model}`);
    expect(names).toEqual([...names].sort());
    expect(names).toContain('core:component:motor core:builtin:gpio');
    expect(names).toContain('core:component:board core:builtin:fake');
  });

  it('-log-file rotates what an earlier run left and keeps the console clean', async () => {
    const file = path.join(await temporaryFolder(), 'run.log');
    await writeFile(file, 'from an earlier run\n');
    const server = await serve({ args: ['-log-file', file] });
    expect(await server.stop()).toBe(0);
    expect(server.stderr()).toBe('');
    expect(await readFile(`${file}.1`, 'utf8')).toBe('from an earlier run\n');
    expect(await readFile(file, 'utf8')).toMatch(/serving on http[^]*stopped/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('-cpuprofile writes a profile of the whole run', async () => {
    const file = path.join(await temporaryFolder(), 'run.cpuprofile');
    const server = await serve({ args: ['-cpuprofile', file] });
    await connect(server).resourceNames();
    expect(await server.stop()).toBe(0);
    const profile = JSON.parse(await readFile(file, 'utf8')) as { nodes: unknown[]; samples: unknown[] };
    expect(profile.nodes.length).toBeGreaterThan(0);
    expect(profile.samples.length).toBeGreaterThan(0);
  });

  it('-webprofile serves profiles to whoever has the token, and to nobody else', async () => {
    const server = await serve({ args: ['-webprofile'] });
    const get = (where: string, token?: string): Promise<Response> =>
      fetch(
        `${server.url}/debug/${where}`,
        token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
      );
    for (const where of ['profile?seconds=1', 'memory', 'graph', '']) {
      expect((await get(where)).status).toBe(401);
      expect((await get(where, 'wrong')).status).toBe(401);
    }
    const profile = (await (await get('profile?seconds=0.05', server.token)).json()) as { nodes: unknown[] };
    expect(profile.nodes.length).toBeGreaterThan(0);
    expect(await (await get('memory', server.token)).json()).toMatchObject({ heapUsed: expect.any(Number) as number });
    const graph = await (await get('graph', server.token)).text();
    expect(graph).toContain('"core:component:motor/turntable" -> "core:component:encoder/wheel"');
  });

  it('without -webprofile there is no profiler', async () => {
    const server = await serve();
    const response = await fetch(`${server.url}/debug/memory`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    expect(response.status).toBe(404);
  });

  it('-shareddir serves the files of that folder, and none outside of it', async () => {
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, 'index.html'), '<title>mine</title>');
    const { port } = await serve({ args: ['-shareddir', folder] });
    const index = await fetch(`http://localhost:${port}/`);
    expect([index.headers.get('content-type'), await index.text()]).toEqual([
      'text/html; charset=utf-8',
      '<title>mine</title>',
    ]);
    const again = await fetch(`http://localhost:${port}/`, {
      headers: { 'if-none-match': index.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
    // fetch() normalizes paths before it sends them: these are sent unchanged.
    for (const target of [
      '/../../../../etc/passwd',
      '/..%2f..%2f..%2f..%2fetc%2fpasswd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '//etc/passwd',
    ]) {
      expect(await rawGet(port, target)).toMatch(/^HTTP\/1\.1 404 /);
    }
  });

  it('-no-tls serves in clear text where the configuration names a certificate, as network.no_tls does', async () => {
    const config = withCertificate(bench, makeCertificate(await temporaryFolder()));
    expect((await serve({ config })).url).toMatch(/^https:\/\/localhost:/);
    const clear = JSON.parse(config) as { network: object };
    const noTls = JSON.stringify({ ...clear, network: { ...clear.network, no_tls: true } });
    for (const options of [{ config, args: ['-no-tls'] }, { config: noTls }]) {
      const { url } = await serve(options);
      expect(url).toMatch(/^http:\/\/localhost:/);
      expect((await fetch(`${url}/healthz/live`)).status).toBe(200);
    }
  });

  it('SVC_RESOURCE_REQUESTS_LIMIT bounds the calls under way for one resource, and for that one alone', async () => {
    const server = await serve({ environment: { SVC_RESOURCE_REQUESTS_LIMIT: '5' } });
    const client = connect(server);
    const streams = Array.from({ length: 8 }, () =>
      client.grpc.stream(BoardServiceDefinition, 'streamTicks', { name: 'bench', pinNames: ['button'] }),
    );
    const refused = Promise.race(streams.map((stream) => once(stream.resume(), 'error')));
    const [error] = (await refused) as [{ code: status; details: string }];
    expect(error.code).toBe(status.RESOURCE_EXHAUSTED);
    expect(error.details).toContain('bench');
    await expect(client.isMoving('left')).resolves.toBe(false);
    for (const stream of streams) stream.on('error', () => undefined).cancel();
  });

  it('-debug logs each call; the configuration cannot turn it off', async () => {
    const config = JSON.stringify({ ...(JSON.parse(bench) as object), debug: false });
    const server = await serve({ config, args: ['-debug'] });
    await connect(server).grpc.call(MotorServiceDefinition, 'isMoving', { name: 'left' });
    await until('the call is logged', () => /DEBUG.*MotorService\/IsMoving/.test(server.stderr()), 5_000);
  });

  it('-reveal-sensitive-config-diffs logs what an edit changed, which is otherwise kept back', async () => {
    const edited = bench.replace('"max_rpm": 100', '"max_rpm": 90');
    for (const [args, shows] of [
      [['-reveal-sensitive-config-diffs'], true],
      [[], false],
    ] as const) {
      const server = await serve({ args });
      await server.writeConfig(edited);
      await until('the edit is in force', () => server.stderr().match(/is in force/g)?.length === 2, 10_000);
      expect(server.stderr().includes('configuration changed:')).toBe(shows);
    }
  });
});

/** The whole response to a GET of exactly this target. */
async function rawGet(port: number, target: string): Promise<string> {
  const socket = connectTcp(port, '127.0.0.1');
  socket.write(`GET ${target} HTTP/1.1\r\nhost: localhost:${port}\r\nconnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk as string;
  return text;
}
