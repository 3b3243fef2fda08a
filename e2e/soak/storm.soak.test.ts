import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { Presence_State, PresenceServiceDefinition } from '../../proto/gen/core/hub/v1/presence.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { startServer } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';
import { quantile, spread, tell } from './figures.ts';
import { COLLECTED_SOON } from './marked-processes.ts';
import { textOf } from './saved-texts.ts';
import type { Storm } from './storm-process.ts';

const STORM_MS = 30_000;
const CALM_MS = 5_000;
const TRIES_PER_S = 100;

/** Runs it to its end. @returns the number of attempts by result */
async function runStorm(storm: Storm): Promise<Readonly<Record<string, number>>> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'storm-process.ts'), JSON.stringify(storm)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 2 * STORM_MS + 60_000,
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await once(child, 'close');
  return JSON.parse(printed) as Record<string, number>;
}

/** Memory of a process, MiB, and its open files. */
function holdings(pid: number): { readonly mebibytes: number; readonly files: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    mebibytes: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024,
    files: readdirSync(`/proc/${pid}/fd`).length,
  };
}

describe('a machine that connects 100 times a second', () => {
  it('for half a minute: few get in, nothing is used up, others are answered as before', async () => {
    const fleet = await Fleet.start([], { through: ['env', `NODE_OPTIONS=${COLLECTED_SOON}`] });
    const partId = await fleet.partId();
    const server = await startServer({ config: await fleet.configOf(partId) });
    onTestFinished(async () => void (await server.stop()));
    const { robots } = await fleet.owner.call('listRobotsForOrg', { orgId: fleet.organizationId });
    const { partId: wild } = await fleet.owner.call('newRobotPart', { robotId: robots[0]?.id ?? '', partName: 'wild' });
    const { part } = await fleet.owner.call('createRobotPartSecret', { partId: wild });
    const secret = part?.secrets.at(-1)?.secret ?? '';
    const apply = async (number: number): Promise<void> => {
      const { revision } = await fleet.call(ConfigServiceDefinition, 'get', { partId });
      const request = { partId, text: textOf(number), baseRevision: revision, author: '', note: '' };
      await fleet.call(ConfigServiceDefinition, 'apply', request);
    };
    await apply(1);
    const calm = new GrpcClient(fleet.hub.url, {}, fleet.authority);
    onTestFinished(() => calm.close());
    const headers = { authorization: `Bearer ${fleet.owner.token}` };
    const measure = async (ms: number): Promise<number[]> => {
      const answers: number[] = [];
      for (const end = performance.now() + ms; performance.now() < end;) {
        const startedAt = performance.now();
        await calm.call(ConfigServiceDefinition, 'get', { partId }, { headers });
        answers.push(performance.now() - startedAt);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return answers;
    };
    const before = await measure(CALM_MS);
    const held = holdings(fleet.hub.process.pid ?? 0);

    const address = `localhost:${fleet.port}`;
    const storm = { address, authority: fleet.authority, partId: wild, secret, triesPerS: TRIES_PER_S, ms: STORM_MS };
    const ended = runStorm(storm);
    const during = await measure(STORM_MS);
    const outcomes = await ended;
    await apply(2);
    const runs = async (): Promise<boolean> => {
      const { text, revision, appliedRevision } = await fleet.call(ConfigServiceDefinition, 'get', { partId });
      return text === textOf(2) && revision === appliedRevision;
    };
    await until('the machine has it', runs, 10_000);
    const after = holdings(fleet.hub.process.pid ?? 0);

    const accepted = outcomes['accepted'] ?? 0;
    const tries = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
    tell(`storm: ${tries} tries in ${STORM_MS / 1_000} s: ${JSON.stringify(outcomes)}`);
    tell(`storm: calls for another part before: ${spread(before)}; during: ${spread(during)}`);
    tell(
      `storm: the hub had ${held.mebibytes.toFixed(0)} MiB and ${held.files} files before, ${after.mebibytes.toFixed(0)} MiB and ${after.files} after`,
    );
    expect(tries).toBeGreaterThan((TRIES_PER_S * STORM_MS) / 1_000 / 5);
    // Ten at once, and then one every two seconds.
    expect(accepted).toBeGreaterThan(0);
    expect(accepted).toBeLessThanOrEqual(10 + Math.ceil((STORM_MS + 10_000) / 2_000));
    expect(after.files).toBeLessThan(held.files + 30);
    expect(after.mebibytes).toBeLessThan(held.mebibytes + 120);
    // Nobody waits long: half a second, unless this computer is that slow even without a storm.
    expect(quantile(during, 0.99)).toBeLessThan(Math.max(500, 3 * quantile(before, 0.99)));
    const scope = { partId, machineId: '', locationId: '', organizationId: '' };
    const { parts } = await fleet.call(PresenceServiceDefinition, 'list', { scope, brief: true });
    expect(parts[0]?.state).toBe(Presence_State.ONLINE);
    expect(server.stderr()).not.toContain('is not reached');
  });
});
