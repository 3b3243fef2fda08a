import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { windowBench } from '../../fixtures/window-bench.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { writeLogLines } from '../../harness/write-log-lines.ts';
import { startServer } from '../../harness/server-process.ts';
import { storeLog } from '../../harness/stored-log.ts';
import type { LogEntry } from '../../../src-main/machine/logging/log-entry.ts';
import { checkLook } from '../../page-objects/look.ts';
import { LogsPage } from '../../page-objects/logs.ts';
import { Shell } from '../../page-objects/shell.ts';

const left = 'core:component:motor/left';

test('the screen is accessible in both themes: lines, an open line, a folded one, the choice of time', async ({
  page,
}) => {
  test.slow();
  const home = await mkdtemp(path.join(os.tmpdir(), 'armature-look-'));
  await storeLog(home, 40, (seq): Partial<LogEntry> => {
    switch (seq % 8) {
      case 2:
        return { level: 'debug', message: 'duty 0.42 at 800 Hz', fields: { pin: '12' }, resource: left };
      case 4:
        return { level: 'warn', message: 'supply 10.8 V is below 11.0 V', fields: { volts: 10.8 }, resource: left };
      case 6:
        return {
          level: 'error',
          message: `${left} does not answer: no edge of its encoder in 500 ms at power 0.60`,
          fields: { power: 0.6, ticks: 0, attempt: { count: 3, lastRpm: 58.2 } },
          resource: left,
          caller: 'motor-gpio/encoded-motor.ts:111',
        };
      default:
        return { message: `going to ${seq}.0 revolutions at 60 rpm`, resource: left };
    }
  });
  const machine = await startServer({ config: windowBench, home });
  const client = new MachineClient(machine);
  try {
    await writeLogLines(
      client,
      Array.from({ length: 9 }, () => ({ message: 'valve 3 stuck', level: 'warn' as const })),
    );
    await page.goto(machine.pageUrl);
    await new Shell(page).open('Logs');
    const logs = new LogsPage(page);
    await expect(logs.line('folding further repeats')).toBeVisible();
    await expect(logs.line(/9 times\s*valve 3 stuck/)).toBeVisible({ timeout: 15_000 });
    await logs.wheel(-600);
    await logs.line('does not answer').last().click();
    await logs.list.focus();
    await page.keyboard.press('Enter');
    await expect(page.getByText('Code line')).toBeVisible();
    await checkLook(page, 'logs');
    await page.getByRole('button', { name: 'Any time' }).click();
    await expect(page.getByRole('dialog', { name: 'Time' })).toBeVisible();
    await checkLook(page, 'logs-time');
    await page.keyboard.press('Escape');
    await logs.textField.fill('no such words');
    await expect(page.getByText('No lines match.')).toBeVisible();
    await checkLook(page, 'logs-empty');
    await page.getByRole('button', { name: 'Copy and download' }).click();
    await checkLook(page, 'logs-menu');
    await page.getByRole('menuitem', { name: 'Download as text' }).click();
    // Nothing matches, so the dialog stays and says so.
    await expect(page.getByRole('dialog')).toContainText('No stored lines match');
    await checkLook(page, 'logs-download');
  } finally {
    client.close();
    await machine.stop();
    await rm(home, { recursive: true, force: true });
  }
});
