import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigServiceDefinition, Result_Outcome } from '../../proto/gen/core/config/v1/config.ts';
import { Presence_State, PresenceServiceDefinition } from '../../proto/gen/core/hub/v1/presence.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { hubFolder, startHub, HubClient } from '../harness/hub-process.ts';
import { runArmature, startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';
import { quantile, tell } from './figures.ts';
import { numberOf, textOf } from './saved-texts.ts';

const KILLS = 200;
const FIRST_STARTS = 12;
/**
 * Every this many kills the test waits for the machine: connected to a hub that keeps crashing, it retries every 10 s.
 */
const WAIT_EVERY = 5;

/** Moments of a save that are visible from outside. */
type Moment = 'the log of the database grew' | 'it was answered' | 'the machine has it' | 'its result is noted';
const moments: readonly Moment[] = [
  'the log of the database grew',
  'it was answered',
  'the machine has it',
  'its result is noted',
];

describe('a hub that is killed in the middle of saves', () => {
  let fleet: Fleet;
  let partId = '';
  let server: ServerProcess;

  beforeEach(async () => {
    fleet = await Fleet.start();
    partId = await fleet.partId();
    server = await startServer({ config: await fleet.configOf(partId) });
  });

  afterEach(() => server.stop());

  const get = () => fleet.call(ConfigServiceDefinition, 'get', { partId });
  const history = () =>
    fleet.call(ConfigServiceDefinition, 'history', {
      partId,
      limit: 3,
      pageToken: '',
      text: '',
      tagged: false,
      resource: '',
    });
  const isOnline = async (): Promise<boolean> => {
    const scope = { partId, machineId: '', locationId: '', organizationId: '' };
    const { parts } = await fleet.call(PresenceServiceDefinition, 'list', { scope, brief: true });
    return parts[0]?.state === Presence_State.ONLINE;
  };
  const save = async (number: number): Promise<void> => {
    const { revision } = await get();
    const request = { partId, text: textOf(number), baseRevision: revision, author: '', note: `save ${number}` };
    const { outcome } = await fleet.call(ConfigServiceDefinition, 'apply', request);
    expect(outcome?.$case).toBe('applied');
  };
  const runs = async (number: number): Promise<boolean> => {
    const { text, revision, appliedRevision } = await get();
    return text === textOf(number) && revision === appliedRevision;
  };
  const isNoted = async (): Promise<boolean> =>
    (await history()).versions[0]?.result?.outcome === Result_Outcome.APPLIED;
  const logSize = (): number => {
    try {
      return statSync(path.join(fleet.hub.data, 'hub.sqlite-wal')).size;
    } catch {
      return 0;
    }
  };
  /** Bytes that the process has handed to the kernel, including those written to a reused log. */
  const writtenBytes = (): number =>
    Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${fleet.hub.process.pid}/io`, 'utf8'))?.[1] ?? 0);

  /** Resolves at a moment of the save that has just begun, or when the save is over. */
  const comes = async (moment: Moment, number: number, answered: Promise<unknown>): Promise<void> => {
    let isOver = false;
    void answered.catch(() => undefined).finally(() => (isOver = true));
    if (moment === 'the log of the database grew') {
      const [size, written] = [logSize(), writtenBytes()];
      const hasGrown = (): boolean => logSize() > size || writtenBytes() > written + 20_000;
      while (!isOver && !hasGrown()) await new Promise((resolve) => setImmediate(resolve));
      return;
    }
    await answered;
    if (moment === 'the machine has it') await until(moment, () => runs(number), 15_000);
    if (moment === 'its result is noted') await until(moment, isNoted, 15_000);
  };

  it(`${KILLS} times, at every step: nothing accepted is lost, nothing is half, numbers have no gaps`, async () => {
    const durations: number[] = [];
    let saved = 0;
    while (saved < 10) {
      const startedAt = performance.now();
      await save(++saved);
      await until('its result is noted', isNoted, 10_000);
      if (saved > 3) durations.push(performance.now() - startedAt);
    }
    const durationMs = quantile(durations, 0.5);
    const outcomes = { answered: 0, 'kept without an answer': 0, 'not stored': 0 };
    const waits: number[] = [];

    for (let kill = 0; kill < KILLS; kill++) {
      const next = saved + 1;
      const isAnswered = { value: false };
      const answered = save(next).then(() => void (isAnswered.value = true));
      const over = answered.catch(() => undefined);
      // Only right after that wait is the machine certainly connected.
      const moment = kill % (2 * WAIT_EVERY) === 0 ? moments[(kill / (2 * WAIT_EVERY)) % moments.length] : undefined;
      if (moment === undefined) {
        // Spread evenly over the whole save, from its first byte until its result is recorded.
        const delayMs = ((kill * 0.618_034) % 1) * durationMs * 1.2;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      } else {
        await comes(moment, next, answered);
      }
      const wasAnswered = isAnswered.value;
      await fleet.hub.crash();
      await over;
      fleet.owner.close();
      await fleet.restart();
      fleet.owner = await fleet.logIn();

      const { text } = await get();
      const number = numberOf(text);
      expect(number, `kill ${kill}: a text that nobody saved`).toBeDefined();
      expect(number).toBeGreaterThanOrEqual(wasAnswered || isAnswered.value ? next : saved);
      expect(number).toBeLessThanOrEqual(next);
      outcomes[isAnswered.value ? 'answered' : number === next ? 'kept without an answer' : 'not stored']++;
      saved = number ?? 0;
      const { versions, total } = await history();
      // Each save is one version: its number and its content have to match.
      expect(versions.map((version) => Number(version.number))).toEqual([saved, saved - 1, saved - 2]);
      expect(Number(total)).toBe(saved);
      expect(versions[0]?.note).toBe(`save ${saved}`);
      if (kill % WAIT_EVERY === WAIT_EVERY - 1) {
        const startedAt = performance.now();
        await until('the machine is back', isOnline, 20_000);
        await until(`the machine has the newest after kill ${kill}`, () => runs(saved), 15_000);
        waits.push(performance.now() - startedAt);
      }
    }

    for (let number = 1; number <= saved; number++) {
      const { text } = await fleet.call(ConfigServiceDefinition, 'getVersion', { partId, number: BigInt(number) });
      expect(numberOf(text), `version ${number}`).toBe(number);
    }
    tell(
      `${KILLS} kills over saves of ${durationMs.toFixed(0)} ms: ${JSON.stringify(outcomes)}; ${saved} versions, all whole; the machine had the newest ${quantile(waits, 0.5).toFixed(0)} ms after the hub served (median), ${Math.max(...waits).toFixed(0)} ms at most`,
    );
    expect(outcomes.answered).toBeGreaterThan(0);
    expect(outcomes['not stored']).toBeGreaterThan(0);
  });

  it(`${FIRST_STARTS} times in its first start: the next start has all of it, and a key can be made`, async () => {
    const { data, remove } = await hubFolder();
    const startedAt = performance.now();
    const whole = await startHub({ data });
    const durationMs = performance.now() - startedAt;
    await whole.stop();
    await remove();
    for (let kill = 0; kill < FIRST_STARTS; kill++) {
      const place = await hubFolder();
      const limitMs = Math.ceil((durationMs * (kill + 1)) / FIRST_STARTS);
      await runArmature(['hub', '--data', place.data, '--bind', 'localhost:0'], {}, { limitMs });
      const hub = await startHub({ data: place.data });
      // An owner whose key was printed to a terminal that died, or never, creates another on the computer itself.
      const made = await runArmature(['hub', 'key', 'create', '--data', place.data]);
      const [, id = '', secret = ''] = /key id (\S+)\nkey (\S+)/.exec(made.stdout) ?? [];
      const authority = (await runArmature(['hub', 'ca', '--data', place.data])).stdout;
      const client = await HubClient.logIn(hub.url, { id, secret }, authority);
      const { organizations } = await client.call('listOrganizations', {});
      expect(organizations).toHaveLength(1);
      const { robots } = await client.call('listRobotsForOrg', { orgId: organizations[0]?.id ?? '' });
      expect(robots).toHaveLength(1);
      client.close();
      await hub.stop();
      await place.remove();
    }
    tell(`${FIRST_STARTS} kills spread over a first start of ${durationMs.toFixed(0)} ms: each next start was whole`);
  });
});
