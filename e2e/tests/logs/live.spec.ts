import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { LogsPage } from '../../page-objects/logs.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('lines of before and new lines are shown', { tag: '@smoke' }, async ({ page, machine }) => {
  await new Shell(page).open('Logs');
  const logs = new LogsPage(page);
  await expect(logs.line('serving on')).toBeVisible();
  await expect(logs.state('live')).toBeVisible();
  await machine.writeConfig('{ "components": [ ');
  await expect(logs.line(/^.*error.*core\.config/).last()).toBeVisible();
});
