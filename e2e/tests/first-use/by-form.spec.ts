import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { ApplyBar } from '../../page-objects/apply-bar.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: '{\n  "network": { "bind_address": "localhost:0" }\n}\n' });
/** What a person may take for all of it. */
test.setTimeout(180_000);

test(
  'a new user, by forms alone: adds a board and a motor, turns it, breaks it, reads why, undoes and applies',
  { tag: '@smoke' },
  async ({ page, machine }) => {
    const shell = new Shell(page);
    const configure = new ConfigurePage(page);
    const form = new ResourceForm(page);
    const { applyButton } = new ApplyBar(page);

    await configure.addButton.click();
    await configure.addDialog.choose('board', 'fake');
    await configure.addDialog.name.fill('bench');
    await page.keyboard.press('Enter');
    await expect(configure.heading('bench')).toBeVisible();
    await configure.addButton.click();
    await configure.addDialog.choose('motor', 'gpio');
    await configure.addDialog.name.fill('left');
    await page.keyboard.press('Enter');
    await expect(configure.heading('left')).toBeVisible();
    await form.chooseDriver('PWM / DIR');
    await form.field('Direction (dir)').fill('16');
    await form.field('Speed (pwm)').fill('15');
    await configure.maxSpeed.fill('120');
    await configure.maxSpeed.press('Enter');
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
    expect(await left.value('position')).toBeCloseTo(1, 0);

    await shell.open('Configure');
    await configure.open('left');
    await configure.maxSpeed.fill('-5');
    await configure.maxSpeed.press('Enter');
    await expect(configure.bar).toContainText('1 problem');
    await expect(form.around('Max speed, no load')).toContainText('-5');
    await expect(applyButton).toHaveAttribute('aria-disabled', 'true');
    await configure.undoButton.click();
    await expect(configure.maxSpeed).toHaveValue('120');
    await configure.maxSpeed.fill('150');
    await configure.maxSpeed.press('Enter');
    await applyButton.click();
    await expect(configure.bar).toContainText('Applied');
    await expect(shell.machine).toContainText('2 of 2 ready');
    const { components } = JSON.parse(await readFile(machine.configPath, 'utf8')) as { components: unknown };
    expect(components).toEqual([
      { name: 'bench', api: 'core:component:board', model: 'fake', attributes: { fail_new: false } },
      {
        name: 'left',
        api: 'core:component:motor',
        model: 'gpio',
        attributes: { board: 'bench', pins: { pwm: '15', dir: '16' }, max_rpm: 150 },
      },
    ]);
  },
);
