import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { freePort } from '../../../src-main/rpc/port/free-port.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { numbered, writeLogLines } from '../../harness/write-log-lines.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { LogsPage } from '../../page-objects/logs.ts';
import { Shell } from '../../page-objects/shell.ts';

const token = 'a-token-that-both-starts-of-the-server-share';

async function say(machine: ServerProcess, word: string, count: number): Promise<void> {
  const client = new MachineClient(machine);
  try {
    await writeLogLines(client, numbered(word, count));
  } finally {
    client.close();
  }
}

test('while the machine is away its lines stay, marked as old; when it is back they go on without gap or repeat', async ({
  page,
}) => {
  const home = await mkdtemp(path.join(os.tmpdir(), 'armature-restart-'));
  const config = windowBench.replace('localhost:0', `localhost:${await freePort()}`);
  const start = (): Promise<ServerProcess> => startServer({ config, home, environment: { SVC_LAUNCH_TOKEN: token } });
  let machine = await start();
  try {
    await page.goto(machine.pageUrl);
    await new Shell(page).open('Logs');
    const logs = new LogsPage(page);
    await say(machine, 'before', 5);
    await expect(logs.line('before 4')).toBeVisible();

    await machine.kill('SIGKILL');
    await expect(logs.state('no connection, earlier lines only')).toBeVisible();
    await expect(logs.line('before 4')).toBeVisible();

    machine = await start();
    await say(machine, 'after', 5);
    await expect(logs.line('after 4')).toBeVisible({ timeout: 20_000 });
    await expect(logs.state('live')).toBeVisible();
    for (const word of ['before', 'after']) {
      for (let index = 0; index < 5; index++) await expect(logs.line(`${word} ${index}`)).toHaveCount(1);
    }
    await expect(logs.line('serving on')).toHaveCount(2);
    await expect(logs.line('missing here')).toHaveCount(0);

    // All of it is the stored log: a page that never saw the first run reads it too.
    await page.reload();
    await expect(logs.line('before 0')).toHaveCount(1);
    await expect(page.getByText('The log begins here.')).toBeVisible();
  } finally {
    await machine.stop();
    await rm(home, { recursive: true, force: true });
  }
});
