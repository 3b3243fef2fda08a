import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench, serverArgs: ['-hub=false'] });

test('without a hub the page says so, offers no list of machines, and works', async ({ page, machine }) => {
  const shell = new Shell(page);
  await expect(shell.machine).toContainText('5 of 5 ready');
  await expect(shell.rail.getByRole('link', { name: 'Machines' })).toHaveCount(0);
  await expect(shell.machine.getByRole('link')).toHaveCount(0);
  await shell.open('Settings');
  await expect(page.getByText('It was started with -hub=false.')).toBeVisible();
  await shell.open('Overview');
  await expect(page.getByRole('link', { name: /climate.*ready/ })).toBeVisible();
  await expect(page.getByText(machine.configPath)).toBeVisible();
});
