import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { numbered, writeLogLines } from '../../harness/write-log-lines.ts';
import { LogsPage } from '../../page-objects/logs.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('filters combine, are in the address, go back, and a shared address shows the same', async ({ page, machine }) => {
  const shell = new Shell(page);
  await shell.open('Logs');
  const logs = new LogsPage(page);
  const client = new MachineClient(machine);
  try {
    await writeLogLines(client, [
      ...numbered('pump', 3),
      ...numbered('pump', 3, 'error'),
      ...numbered('valve', 3, 'error'),
    ]);
    await expect(logs.line('valve 2')).toBeVisible();
    await logs.showLevel('error');
    await expect(logs.line('pump 0')).toHaveCount(1);
    await page.keyboard.press('ControlOrMeta+f');
    await logs.textField.fill('PUMP');
    await expect(logs.line('valve')).toHaveCount(0);
    await logs.loggerField.fill('guest');
    await expect(page).toHaveURL(/logs\?level=error&logger=guest&text=PUMP$/);
    await expect(logs.line('pump')).toHaveCount(3);

    // New lines pass the same filter.
    await writeLogLines(client, [...numbered('new valve', 1, 'error'), ...numbered('new pump', 1, 'error')]);
    await expect(logs.line('new pump 0')).toBeVisible();
    await expect(logs.line('new valve 0')).toHaveCount(0);

    const address = page.url();
    await page.goBack();
    await page.goBack();
    await expect(logs.textField).toHaveValue('');
    await expect(logs.line('valve')).not.toHaveCount(0);
    await page.goto(address);
    await page.reload();
    await expect(logs.textField).toHaveValue('PUMP');
    await expect(logs.line('pump')).toHaveCount(4);

    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await expect(page).toHaveURL(/logs\?level=error$/);
    await page.goto(address.replace('level=error', 'level=loud&from=yesterday'));
    await page.reload();
    await expect(
      page.getByText('The address has an unknown level, “loud”. The levels are debug, info, warn, error'),
    ).toBeVisible();
    await expect(page.getByText('In the address, “yesterday” is not a valid time for “from”.')).toBeVisible();
  } finally {
    client.close();
  }
});
