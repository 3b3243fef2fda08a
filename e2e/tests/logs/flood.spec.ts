import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test as base } from '@playwright/test';
import { MachineClient } from '../../harness/machine-client.ts';
import { numbered, writeLogLines } from '../../harness/write-log-lines.ts';
import { startServer } from '../../harness/server-process.ts';
import { storeLog } from '../../harness/stored-log.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { LogsPage } from '../../page-objects/logs.ts';
import { HANG_MS, LongTasks } from '../../page-objects/long-tasks.ts';
import { Shell } from '../../page-objects/shell.ts';

const stored = 110_000;

base('100,000 lines are read back, scrolled and followed without the window hanging', async ({ page }, info) => {
  base.setTimeout(240_000);
  const home = await mkdtemp(path.join(os.tmpdir(), 'armature-flood-'));
  await storeLog(home, stored, (seq) => ({
    message: `stored ${seq}: ${'measured '.repeat(seq % 12)}`,
    fields: { seq, rpm: 60 + (seq % 7) },
    level: seq % 50 === 0 ? 'warn' : 'info',
  }));
  const machine = await startServer({ config: windowBench, home });
  const client = new MachineClient(machine);
  try {
    await page.goto(machine.pageUrl);
    await new Shell(page).open('Logs');
    const logs = new LogsPage(page);
    await expect(logs.line('serving on').last()).toBeVisible();
    const tasks = await LongTasks.of(page);

    await logs.list.focus();
    await expect(async () => {
      await page.keyboard.press('Home');
      await expect(page.getByText('This page holds 100000 lines')).toBeVisible({ timeout: 50 });
    }).toPass({ timeout: 180_000, intervals: [1] });
    expect(await logs.shownCount()).toBe(100_000);
    const reading = await tasks.longest();

    for (let index = 0; index < 40; index++) await logs.wheel(2_000);
    const scrolling = await tasks.longest();

    await page.keyboard.press('End');
    await logs.expectAtEnd();
    await tasks.longest();
    await writeLogLines(client, numbered('live', 1_000));
    await expect(logs.line('live 999')).toBeVisible();
    await logs.expectAtEnd();
    expect(await logs.shownCount()).toBe(100_000);
    const following = await tasks.longest();

    info.annotations.push({ type: 'longest task', description: `${reading}, ${scrolling}, ${following} ms` });
    process.stdout.write(
      `longest task: reading back ${reading} ms, scrolling ${scrolling} ms, following ${following} ms\n`,
    );
    expect(Math.max(reading, scrolling, following)).toBeLessThan(HANG_MS);
  } finally {
    client.close();
    await machine.stop();
    await rm(home, { recursive: true, force: true });
  }
});
