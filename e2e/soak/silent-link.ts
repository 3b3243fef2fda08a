/**
 * A machine and its hub on two computers with a cable between them (network namespaces), and a second cable for
 * observing the hub. The first cable goes silent: frames are sent and lost, and neither side is notified. Prints as
 * JSON how many milliseconds later each side noticed.
 *
 *   unshare --map-root-user --net node silent-link.ts
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { Presence_State, PresenceServiceDefinition } from '../../proto/gen/core/hub/v1/presence.ts';
import { HubClient, hubFolder, startHub } from '../harness/hub-process.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { writeLogLines } from '../harness/write-log-lines.ts';
import { runArmature, startServer } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

/** Time limit for either side. The test waits twice as long, so that a late one is reported with its time. */
const LIMIT_MS = 20_000;
/** Late enough that the kernel has begun to send probes, early enough that it has not given up. */
const LATE_MS = 8_000;
/** From the blocks for documentation (RFC 5737), which nobody uses. */
const link = { machine: '198.51.100.1', hub: '198.51.100.2' };
const watch = { machine: '203.0.113.1', hub: '203.0.113.2' };

const ip = (...args: readonly string[]): string => execFileSync('ip', args, { encoding: 'utf8' });
ip('link', 'set', 'lo', 'up');
const other = spawn('unshare', ['--net', 'sh', '-c', 'ip link set lo up && echo there && read -r _'], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
await once(other.stdout, 'data');
const namespace = `/proc/${other.pid}/ns/net`;
const onHub = ['nsenter', `--net=${namespace}`];
const ipOnHub = (...args: readonly string[]): string =>
  execFileSync('nsenter', [`--net=${namespace}`, 'ip', ...args], { encoding: 'utf8' });

function lay(cable: string, ends: { readonly machine: string; readonly hub: string }): void {
  ip('link', 'add', `${cable}-m`, 'type', 'veth', 'peer', 'name', `${cable}-h`, 'netns', String(other.pid));
  ip('address', 'add', `${ends.machine}/30`, 'dev', `${cable}-m`);
  ipOnHub('address', 'add', `${ends.hub}/30`, 'dev', `${cable}-h`);
  ip('link', 'set', `${cable}-m`, 'up');
  ipOnHub('link', 'set', `${cable}-h`, 'up');
}
lay('link', link);
lay('watch', watch);
// Node lists only interfaces that are up, and the hub's certificate contains their addresses.
for (const cable of ['link-h', 'watch-h'])
  await until(`${cable} carries`, () => ipOnHub('link', 'show', cable).includes('state UP'), LIMIT_MS);

/** Each side sends its frames to a computer that does not exist. */
function silence(): void {
  const nobody = '02:00:00:00:00:01';
  ip('neighbor', 'replace', link.hub, 'lladdr', nobody, 'dev', 'link-m', 'nud', 'permanent');
  ipOnHub('neighbor', 'replace', link.machine, 'lladdr', nobody, 'dev', 'link-h', 'nud', 'permanent');
}

function mend(): void {
  ip('neighbor', 'delete', link.hub, 'dev', 'link-m');
  ipOnHub('neighbor', 'delete', link.machine, 'dev', 'link-h');
}

const { data, remove } = await hubFolder();
const hub = await startHub({ data, args: ['--bind', '0.0.0.0:0'], through: onHub });
const { port } = new URL(hub.url);
const authority = (await runArmature(['hub', 'ca', '--data', data])).stdout;
const authorityFile = path.join(path.dirname(data), 'authority.pem');
await writeFile(authorityFile, authority);
const key = hub.ownerKey ?? { id: '', secret: '' };
const owner = await HubClient.logIn(`https://${watch.hub}:${port}`, key, authority);
const headers = { authorization: `Bearer ${owner.token}` };
const { robots } = await owner.call('listRobotsForOrg', { orgId: hub.organizationId ?? '' });
const { parts } = await owner.call('getRobotParts', { robotId: robots[0]?.id ?? '' });
const partId = parts[0]?.id ?? '';
const { part } = await owner.call('createRobotPartSecret', { partId });
const cloud = {
  id: partId,
  secret: part?.secrets.at(-1)?.secret ?? '',
  app_address: `https://${link.hub}:${port}`,
  ca: authorityFile,
};
const server = await startServer({ config: JSON.stringify({ cloud, network: { bind_address: 'localhost:0' } }) });
const machine = new MachineClient(server);

async function isOnline(): Promise<boolean> {
  const scope = { partId, machineId: '', locationId: '', organizationId: '' };
  const list = await owner.grpc.call(PresenceServiceDefinition, 'list', { scope, brief: true }, { headers });
  return list.parts[0]?.state === Presence_State.ONLINE;
}

/** Makes the hub send something to the machine. */
async function push(): Promise<void> {
  const { revision } = await owner.grpc.call(ConfigServiceDefinition, 'get', { partId }, { headers });
  const text = JSON.stringify({ components: [{ name: revision, api: 'rdk:component:motor', model: 'fake' }] });
  const request = { partId, text, baseRevision: revision, author: '', note: '' };
  await owner.grpc.call(ConfigServiceDefinition, 'apply', request, { headers });
}

/** Makes the machine send something to the hub. */
const say = (): Promise<void> => writeLogLines(machine, [{ message: 'something to tell', level: 'error' }]);

const times = (text: string, word: string): number => text.split(word).length - 1;

/**
 * Milliseconds until each side noticed a silence in which something is sent; counted from the sending if that is later.
 */
async function noticed(
  during: () => Promise<unknown>,
  fromMs = 0,
): Promise<{ readonly machine: number; readonly hub: number }> {
  await until('the machine is online', isOnline, LIMIT_MS);
  const lost = times(server.stderr(), 'is not reached');
  const begin = performance.now();
  const when = async (what: string, holds: () => boolean | Promise<boolean>): Promise<number> => {
    await until(what, holds, 2 * LIMIT_MS);
    return Math.round(performance.now() - begin - fromMs);
  };
  silence();
  const sides = Promise.all([
    when('the machine noticed', () => times(server.stderr(), 'is not reached') > lost),
    when('the hub noticed', async () => !(await isOnline())),
  ]);
  const [[atMachine, atHub]] = await Promise.all([sides, during()]);
  mend();
  return { machine: atMachine, hub: atHub };
}

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LATE_MS));
try {
  const atRest = await noticed(() => Promise.resolve());
  const withData = await noticed(() => Promise.all([push(), say()]));
  const withLateData = await noticed(() => later().then(() => Promise.all([push(), say()])), LATE_MS);
  process.stdout.write(JSON.stringify({ atRest, withData, withLateData }));
} finally {
  machine.close();
  owner.close();
  await server.stop();
  await hub.stop();
  other.stdin.end();
  await rm(path.dirname(data), { recursive: true, force: true });
  await remove();
}
