import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { ApplyBar } from '../../page-objects/apply-bar.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: '{\n  "network": { "bind_address": "localhost:0" }\n}\n' });
/** What a person may take for all of it. */
test.setTimeout(180_000);

const machineText = (maxRpm: number): string => `{
  "network": { "bind_address": "localhost:0" },
  "components": [
    { "name": "bench", "api": "core:component:board", "model": "fake", "attributes": { "fail_new": false } },
    {
      "name": "left",
      "api": "core:component:motor",
      "model": "gpio",
      "attributes": { "board": "bench", "pins": { "pwm": "15", "dir": "16" }, "max_rpm": ${maxRpm} }
    }
  ]
}
`;

test('a new user, in JSON alone: the same way, and the file is what was typed', async ({ page, machine }) => {
  const shell = new Shell(page);
  const configure = new ConfigurePage(page);
  const { applyButton } = new ApplyBar(page);

  await configure.replaceText(machineText(120));
  await applyButton.click();
  await expect(shell.machine).toContainText('2 of 2 ready');

  await shell.open('Control');
  const control = new ControlPage(page);
  const left = control.motor('left');
  await control.enable();
  await left.revolutions.fill('1');
  await left.rpm.fill('60');
  await left.go.click();
  await expect(left.command).toContainText('done');

  await shell.open('Configure');
  await configure.replaceText(machineText(-5));
  await configure.openProblems();
  await expect(configure.problem(/max_rpm/)).toContainText('-5');
  await expect(applyButton).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(configure.editor).toContainText('"max_rpm": 120');
  await expect(configure.bar).toContainText('Everything is applied');
  await configure.replaceText(machineText(150));
  await applyButton.click();
  await expect(configure.bar).toContainText('Applied');
  expect(await readFile(machine.configPath, 'utf8')).toBe(machineText(150));
});
