import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { numbered, writeLogLines } from '../../harness/write-log-lines.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('new errors are counted on the rail until somebody looks at the log', async ({ page, machine }) => {
  const shell = new Shell(page);
  const client = new MachineClient(machine);
  const logs = shell.rail.getByRole('link', { name: 'Logs' });
  try {
    await expect(shell.machine).toContainText('5 of 5 ready');
    await expect(logs).toHaveAccessibleName('Logs');
    await writeLogLines(client, [...numbered('fine', 2), ...numbered('broken', 3, 'error')]);
    await expect(logs).toHaveAccessibleName(/^Logs 3 ?new errors$/);
    await shell.open('Logs');
    await expect(logs).toHaveAccessibleName('Logs');
    await shell.open('Control');
    await expect(new ControlPage(page).enableSwitch).toBeVisible();
    await writeLogLines(client, numbered('again', 1, 'error'));
    await expect(logs).toHaveAccessibleName(/^Logs 1 ?new error$/);
  } finally {
    client.close();
  }
});
