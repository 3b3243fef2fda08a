import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigServiceDefinition, Result_Outcome } from '../../proto/gen/core/config/v1/config.ts';
import { LogServiceDefinition } from '../../proto/gen/core/log/v1/log.ts';
import { Presence_State, PresenceServiceDefinition } from '../../proto/gen/core/hub/v1/presence.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { numbered, writeLogLines } from '../harness/write-log-lines.ts';
import { startServer } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';
import { tell } from './figures.ts';
import { textOf } from './saved-texts.ts';

const AWAY_MS = 60_000;
/** A busy machine: the log lines of an hour, written in a minute. */
const LINES = 20_000;

describe('a hub that is away', () => {
  it(`for ${AWAY_MS / 1_000} s, in which a machine says as much as in an hour: it is all there, in order, once`, async () => {
    const fleet = await Fleet.start();
    const partId = await fleet.partId();
    const home = await temporaryFolder();
    const server = await startServer({ config: await fleet.configOf(partId), home });
    const machine = new MachineClient(server);
    onTestFinished(async () => {
      machine.close();
      await server.stop();
    });
    const get = () => fleet.call(ConfigServiceDefinition, 'get', { partId });
    const history = async () =>
      (
        await fleet.call(ConfigServiceDefinition, 'history', {
          partId,
          limit: 0,
          pageToken: '',
          text: '',
          tagged: false,
          resource: '',
        })
      ).versions;
    const save = async (number: number): Promise<void> => {
      const { revision } = await get();
      const request = { partId, text: textOf(number), baseRevision: revision, author: '', note: '' };
      await fleet.call(ConfigServiceDefinition, 'apply', request);
    };
    const logged = async (): Promise<string[]> => {
      const found: string[] = [];
      let pageToken = '';
      do {
        const filter = { levels: [], logger: '', resource: '', text: 'away ', afterSeq: 0n, beforeSeq: 0n };
        const request = { partId, filter, limit: 1_000, pageToken, newestFirst: true };
        const page = await fleet.call(LogServiceDefinition, 'query', request);
        found.push(...page.entries.filter(({ logger }) => logger === 'guest').map(({ message }) => message));
        pageToken = page.nextPageToken;
      } while (pageToken !== '');
      return found.reverse();
    };
    await save(1);
    await until(
      'its result is known',
      async () => (await history())[0]?.result?.outcome === Result_Outcome.APPLIED,
      10_000,
    );
    await machine.setPower('left', 0.4);

    await fleet.hub.crash();
    const awaySince = performance.now();
    await writeLogLines(machine, numbered('away', LINES));
    const folders = await readdir(path.join(home, 'home', 'logs'), { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      folders
        .filter((file) => file.isFile())
        .map(async (file) => (await stat(path.join(file.parentPath, file.name))).size),
    );
    const queuedMb = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, AWAY_MS - (performance.now() - awaySince))));
    // It continues with its current configuration.
    expect(await machine.power('left')).toBe(0.4);

    await fleet.restart();
    fleet.owner.close();
    fleet.owner = await fleet.logIn();
    const backSince = performance.now();
    const scope = { partId, machineId: '', locationId: '', organizationId: '' };
    await until(
      'the machine is back',
      async () =>
        (await fleet.call(PresenceServiceDefinition, 'list', { scope, brief: true })).parts[0]?.state ===
        Presence_State.ONLINE,
      20_000,
    );
    const backMs = performance.now() - backSince;
    await save(2);
    await until(
      'the machine has it',
      async () => {
        const { text, revision, appliedRevision } = await get();
        return text === textOf(2) && revision === appliedRevision;
      },
      15_000,
    );
    expect(await machine.power('left')).toBe(0.4);
    await until('the last line is there', async () => (await logged()).at(-1) === `away ${LINES - 1}`, 120_000);
    const logMs = performance.now() - backSince;
    expect(await logged()).toEqual(numbered('away', LINES).map(({ message }) => message));
    expect((await history()).map(({ number }) => Number(number))).toEqual([2, 1]);
    tell(
      `hub away for ${AWAY_MS / 1_000} s: back after ${(backMs / 1_000).toFixed(1)} s; ${LINES} lines (${queuedMb.toFixed(1)} MB on disk of at most 100) all there, in order, once, after ${(logMs / 1_000).toFixed(1)} s`,
    );
  });
});
