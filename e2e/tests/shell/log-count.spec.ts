import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('new errors are counted on the rail until somebody looks at the log', async ({ page, machine }) => {
  const shell = new Shell(page);
  await expect(shell.machine).toContainText('5 of 5 ready');
  const logs = shell.rail.getByRole('link', { name: 'Logs' });
  await expect(logs).toHaveAccessibleName('Logs');
  await machine.writeConfig(windowBench.replace('"fail_new": false', '"fail_new": true'));
  await expect(logs).toHaveAccessibleName(/^Logs [1-9]\d* ?new errors?$/);
  await shell.open('Logs');
  await expect(logs).toHaveAccessibleName('Logs');
});
