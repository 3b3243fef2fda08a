import { bareComputer, largeComputer, singleBoardComputer } from '../../fixtures/computers.ts';
import { expect, test as base } from '../../fixtures/machine-test.ts';
import { HardwareRelay } from '../../harness/hardware-relay.ts';
import { ComputerPanel } from '../../page-objects/computer-panel.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';

const test = base.extend<{ relay: HardwareRelay }>({
  relay: async ({ page, machine }, use) => {
    const relay = await HardwareRelay.on(page);
    await page.goto('about:blank');
    await page.goto(machine.pageUrl);
    await use(relay);
  },
});

test.use({
  config: `{
  "network": { "bind_address": "localhost:0" },
  "components": [{ "name": "io", "api": "core:component:board", "model": "linux", "attributes": {} }]
}
`,
});

test('says what is missing, why, and the next step to copy; who holds a line; which pin it is', async ({
  page,
  relay,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const configure = new ConfigurePage(page);
  const computer = new ComputerPanel(page);
  relay.answer = singleBoardComputer;
  await configure.open('io');
  await expect(computer.panel).toContainText('Raspberry Pi 4 Model B Rev 1.4 with the header of Raspberry Pi, 40 pins');
  // What cannot be used comes before what there is none of.
  await expect(computer.problems.first()).toContainText('Not usable: /dev/gpiochip1: not permitted');
  await expect(computer.problems.nth(1)).toContainText('Note: /dev/spidev0.0 does not exist');
  await computer.problems.nth(1).getByRole('button', { name: 'Copy the command' }).click();
  await expect(computer.problems.nth(1)).toContainText('Copied');
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('sudo raspi-config nonint do_spi 0');
  await expect(computer.row('SDA1')).toContainText('held by the kernel');
  await expect(computer.row('GPIO_GCLK')).toContainText('held by gpioset');
  await expect(computer.row('GPIO_GCLK').locator('svg').first()).toBeVisible();
  await expect(computer.row('GPIO17')).toContainText('free');
  await expect(computer.row('GPIO17')).toContainText('pin 11');
  await expect(computer.row('gpiochip1')).toContainText('not usable');
  await expect(computer.row('gpiochip1').getByRole('button')).toHaveCount(0);
  await computer.toggle.click();
  await expect(computer.list).toBeHidden();
  // Closed, it still says what cannot be used.
  await expect(computer.problems).toHaveCount(1);
});

test('is accessible in both themes', async ({ page, relay }) => {
  relay.answer = singleBoardComputer;
  await new ConfigurePage(page).open('io');
  await expect(new ComputerPanel(page).problems).toHaveCount(2);
  await checkLook(page, 'computer-missing');
});

test('asks again when told to, and shows why there is no answer beside what was there before', async ({
  page,
  relay,
}) => {
  const configure = new ConfigurePage(page);
  const computer = new ComputerPanel(page);
  relay.answer = 'The addon is gone.';
  await configure.open('io');
  await expect(computer.panel).toContainText('The hardware of this computer could not be read: The addon is gone.');
  relay.answer = singleBoardComputer;
  await computer.refresh.click();
  await expect(computer.row('GPIO17')).toBeVisible();
  await expect(computer.panel).not.toContainText('could not be read');
  relay.answer = 'It hangs.';
  await computer.refresh.click();
  await expect(computer.panel).toContainText('It hangs. What is shown may be out of date.');
  await expect(computer.row('GPIO17')).toBeVisible();
  expect(relay.asked).toBe(3);
});

test('a computer with 400 lines draws those that are seen, and finds one by typing', async ({ page, relay }) => {
  const configure = new ConfigurePage(page);
  const computer = new ComputerPanel(page);
  relay.answer = largeComputer;
  await configure.open('io');
  await expect(computer.list).toHaveAttribute('aria-rowcount', '402');
  expect(await computer.list.getByRole('row').count()).toBeLessThan(60);
  await computer.filter.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await expect(computer.button('Add line 199 of gpiochip1 as a pin')).toBeFocused();
  await expect(computer.row('P1.199')).toBeInViewport();
  await page.keyboard.press('PageUp');
  await expect(computer.button('Add line 191 of gpiochip1 as a pin')).toBeFocused();
  await computer.filter.fill('P1.150');
  await expect(computer.list).toHaveAttribute('aria-rowcount', '2');
  await expect(computer.row('P1.150')).toBeVisible();
  await computer.filter.fill('P7');
  await expect(computer.panel).toContainText('Nothing here matches “P7”.');
});

test('the Add dialog says when this computer has no GPIO', async ({ page, relay }) => {
  const configure = new ConfigurePage(page);
  relay.answer = bareComputer;
  await configure.addButton.click();
  await configure.addDialog.choose('board', 'fake');
  await expect(configure.addDialog.dialog).not.toContainText('no GPIO');
  await configure.addDialog.choose('board', 'linux');
  await expect(configure.addDialog.dialog).toContainText('This computer has no GPIO, as is usual for a PC');
  await checkLook(page, 'computer-none-dialog');
});

test('a motor on the board is offered lines by name, with their pin of the header', async ({ page, relay }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  relay.answer = singleBoardComputer;
  await configure.addButton.click();
  await configure.addDialog.search.fill('motor gpio');
  await page.keyboard.press('Enter');
  await form.chooseDriver('PWM / DIR');
  await form.pick('Direction (dir)').click();
  await expect(page.getByRole('option', { name: 'GPIO17 pin 11 · free' })).toBeVisible();
  await page.getByRole('option', { name: /^GPIO_GCLK/ }).scrollIntoViewIfNeeded();
  await expect(page.getByRole('option', { name: 'GPIO_GCLK pin 7 · held by gpioset' })).toBeVisible();
  await page.getByRole('option', { name: /^GPIO17/ }).click();
  await expect(form.pick('Direction (dir)')).toHaveValue('GPIO17');
});
