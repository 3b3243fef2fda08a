import { statSync } from 'node:fs';
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { startServer } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';
import { tell } from './figures.ts';
import { textOf } from './saved-texts.ts';

/** Pseudo-random bytes, the same in each run. */
function noise(length: number): Buffer {
  let state = 1;
  return Buffer.from(Array.from({ length }, () => (state = (state * 48_271) % 2_147_483_647) & 0xff));
}

type Damage = (folder: string, files: readonly string[]) => Promise<unknown>;
const each =
  (change: (bytes: Buffer) => Buffer): Damage =>
  (folder, files) =>
    Promise.all(
      files.map(async (name) => {
        const file = path.join(folder, name);
        await writeFile(file, change(await readFile(file)));
      }),
    );

/** How the copy is damaged, and whether it is usable afterwards. */
const damages: readonly (readonly [name: string, isUsable: boolean, damage: Damage])[] = [
  ['cut in half', false, each((bytes) => bytes.subarray(0, bytes.length / 2))],
  ['random bytes', false, each((bytes) => noise(bytes.length))],
  [
    'without its secrets',
    false,
    (folder, files) => rm(path.join(folder, files.find((name) => name.startsWith('secrets-')) ?? '')),
  ],
  [
    'readable by everybody',
    true,
    (folder, files) => Promise.all(files.map((name) => chmod(path.join(folder, name), 0o666))),
  ],
];

describe('a kept configuration that is damaged, and no hub', () => {
  it.each(damages)('%s', async (name, isUsable, damage) => {
    const fleet = await Fleet.start();
    const partId = await fleet.partId();
    const home = await temporaryFolder();
    let server = await startServer({ config: await fleet.configOf(partId), home });
    let machine = new MachineClient(server);
    onTestFinished(async () => {
      machine.close();
      await server.stop();
    });
    const own = () => machine.grpc.call(ConfigServiceDefinition, 'get', { partId: '' });
    const runs = (number: number) => async (): Promise<boolean> => {
      const { text, revision, appliedRevision } = await own();
      return text === textOf(number) && revision === appliedRevision;
    };
    const request = { partId, text: textOf(1), baseRevision: '', author: '', note: '' };
    await fleet.call(ConfigServiceDefinition, 'apply', request);
    await until('the machine has it', runs(1), 10_000);
    machine.close();
    await server.stop();
    await fleet.hub.crash();

    const folder = path.join(home, 'home', 'cloud', partId);
    const kept = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = kept.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    await damage(
      folder,
      files.map((file) => path.relative(folder, file)),
    );
    const startedAt = performance.now();
    // Without a configuration to run it waits for the hub.
    const starting = startServer({ config: '', home, readyWithinMs: 40_000 });
    server = await starting;
    const startMs = performance.now() - startedAt;
    machine = new MachineClient(server);
    expect((await own()).text).toBe(isUsable ? textOf(1) : '');
    if (!isUsable) expect(server.stderr()).toMatch(/is damaged .* was moved to \S+\.damaged/);

    await fleet.restart();
    await until('the machine has it from the hub', runs(1), 25_000);
    // Damaged ones are kept for a person to inspect, new ones are complete.
    for (const file of await readdir(folder)) {
      // A file that the machine is writing is renamed a moment later.
      const found = statSync(path.join(folder, file), { throwIfNoEntry: false });
      if (!isUsable && found !== undefined) expect(found.mode & 0o777).toBe(0o600);
    }
    tell(`kept configuration ${name}: ready after ${(startMs / 1_000).toFixed(1)} s without a hub`);
  });
});
