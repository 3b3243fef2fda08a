import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { numbered, writeLogLines } from '../../harness/write-log-lines.ts';
import { LogsPage } from '../../page-objects/logs.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('a pause holds lines back and counts them, and resuming shows every one', async ({ page, machine }) => {
  await new Shell(page).open('Logs');
  const logs = new LogsPage(page);
  const client = new MachineClient(machine);
  try {
    await writeLogLines(client, numbered('before', 5));
    await expect(logs.line('before 4')).toBeVisible();
    await logs.pauseButton.click();
    await expect(logs.state('paused')).toBeVisible();
    const before = await logs.shownCount();
    await writeLogLines(client, numbered('during', 60));
    await expect(page.getByText('60 lines waiting.')).toBeVisible();
    expect(await logs.shownCount()).toBe(before);
    await expect(logs.line('during')).toHaveCount(0);
    await logs.pauseButton.click();
    await expect(logs.line('during 59')).toBeVisible();
    expect(await logs.shownCount()).toBe(before + 60);
  } finally {
    client.close();
  }
});
