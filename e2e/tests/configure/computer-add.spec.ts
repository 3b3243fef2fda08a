import { missingReason } from '../../../native/index.js';
import { expect, test } from '../../fixtures/machine-test.ts';
import { ComputerPanel } from '../../page-objects/computer-panel.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';

const reason = missingReason();
test.skip(reason !== undefined, reason ?? '');
test.use({
  config: '{ "network": { "bind_address": "localhost:0" } }\n',
  serverArgs: ['-simulate-hardware'],
});

test(
  'a board of the computer is added, and lines of it become pins and interrupts, with the keyboard alone',
  { tag: '@smoke' },
  async ({ page }) => {
    const configure = new ConfigurePage(page);
    const computer = new ComputerPanel(page);
    await configure.addButton.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('board linux');
    await expect(configure.addDialog.chosen).toContainText('linux');
    await expect(configure.addDialog.dialog).toContainText('This computer: 2 GPIO chips · 64 lines');
    await page.keyboard.press('Enter');
    await expect(configure.heading('board-1')).toBeVisible();
    await computer.filter.focus();
    await page.keyboard.type('gpiochip1 sim1');
    await page.keyboard.press('ArrowDown');
    await expect(computer.button('Use /dev/gpiochip1 as the chip of the board')).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(computer.button('Add line 1 of gpiochip1 as a pin')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(computer.panel.getByRole('status')).toHaveText('SIM1 is now a pin.');
    // The button leads to what it made, and keeps the focus.
    await expect(computer.button('Go to SIM1')).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await expect(computer.button('Add line 10 of gpiochip1 as a digital interrupt')).toBeFocused();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    const form = new ResourceForm(page);
    await expect(form.pick('Name').first()).toBeFocused();
    await expect(form.pick('Name').first()).toHaveValue('SIM1');
    await configure.openText();
    for (const text of ['"device_name": "sim-1"', '"line_number": 1', '"pin": "SIM10"']) {
      await expect(configure.editor).toContainText(text);
    }
  },
);

test('each line, chip and converter that is added is one step to undo', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const computer = new ComputerPanel(page);
  await configure.addButton.click();
  await configure.addDialog.choose('board', 'linux');
  await configure.addDialog.add.click();
  await computer.button('Use /dev/gpiochip0 as the chip of the board').click();
  await expect(computer.row('gpiochip0')).toContainText('chip of this board');
  // Quick presses, one after the other.
  await computer.button('Add line 0 of gpiochip0 as a pin').click();
  await computer.button('Add line 1 of gpiochip0 as a digital interrupt').click();
  await computer.filter.fill('spidev0.1');
  await computer.button('Add a channel of the converter at /dev/spidev0.1 as an analog').click();
  await configure.openText();
  await expect(configure.editor).toContainText('"chip_select": "1"');
  const steps = ['"analogs"', '"digital_interrupts"', '"pins"', '"chip"'];
  for (const [index, gone] of steps.entries()) {
    await configure.undoButton.click();
    await expect(configure.editor).not.toContainText(gone);
    for (const left of steps.slice(index + 1)) await expect(configure.editor).toContainText(left);
  }
});

test('fields of a board and of a motor on it offer what the computer has', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const computer = new ComputerPanel(page);
  const form = new ResourceForm(page);
  await configure.addButton.click();
  await configure.addDialog.choose('board', 'linux');
  await configure.addDialog.add.click();
  await computer.filter.fill('gpiochip1');
  await form.choosePicked('GPIO chip', 'sim-1 gpiochip1');
  await expect(computer.row('gpiochip1')).toContainText('chip of this board');
  await form.button('Add pin').click();
  await form.pick('Name').first().fill('left_in1');
  // The list of its suggestions lies over the fields below it until one goes on.
  await page.keyboard.press('Tab');
  await form.choosePicked('Line', '7 SIM7');
  await expect(computer.button('Go to left_in1')).toBeVisible();
  await configure.addButton.click();
  await configure.addDialog.search.fill('motor gpio');
  await page.keyboard.press('Enter');
  await form.chooseDriver('In1 / In2');
  await form.choosePicked('In1 (a)', 'left_in1 line 7');
  await configure.openText();
  await expect(configure.editor).toContainText('"chip": "sim-1"');
  await expect(configure.editor).toContainText('"line_number": 7');
  await expect(configure.editor).toContainText('"a": "left_in1"');
});

test('what is applied holds its lines, and the list follows by itself', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const computer = new ComputerPanel(page);
  await configure.addButton.click();
  await configure.addDialog.choose('board', 'linux');
  await configure.addDialog.add.click();
  await computer.filter.fill('gpiochip0 SIM3');
  await computer.button('Add line 3 of gpiochip0 as a digital interrupt').click();
  await expect(computer.row('SIM3').first()).toContainText('free');
  await configure.review();
  await configure.applyPlan();
  await expect(configure.resource('board-1')).toContainText('ready');
  await expect(computer.row('SIM3').filter({ hasText: 'held by' })).toContainText('board-1');
});
