import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { DrivePanel } from '../../page-objects/drive.ts';
import { Hands } from '../../page-objects/hands.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('with the keyboard alone, from opening the panel to a turning motor and its stop', async ({ page }) => {
  await new Shell(page).open('Control');
  const [drive, control] = [new DrivePanel(page), new ControlPage(page)];
  const { keyboard } = page;
  const hands = await Hands.of(page);
  await hands.tabTo(control.enableSwitch, 30);
  await keyboard.press('Enter');
  await hands.tabTo(drive.button);
  await keyboard.press('Enter');
  await hands.tabTo(drive.choice('Left motor'), 30);
  await keyboard.press('ArrowDown');
  await hands.tabTo(drive.choice('Right motor'));
  await keyboard.press('ArrowDown');
  await keyboard.press('ArrowDown');
  await expect(drive.choice('Right motor').locator('option:checked')).toHaveText('right');
  await drive.area.focus();
  await expect(drive.said).toContainText('Hold Space to drive.');
  await keyboard.down('Space');
  await expect(drive.said).toContainText('Driving');
  await keyboard.down('KeyW');
  await expect.poll(() => control.motor('left').value('power')).toBeCloseTo(0.3, 2);
  await keyboard.down('ArrowRight');
  await expect.poll(() => control.motor('right').value('power')).toBe(0);
  await keyboard.up('ArrowRight');
  await expect.poll(() => control.motor('right').value('power')).toBeCloseTo(0.3, 2);
  await keyboard.up('Space');
  await expect(control.motor('left').state).toHaveText('still');
  await expect(new Shell(page).stopOutcome).toBeEmpty();
  await keyboard.up('KeyW');
});

test.describe('in the drive area', () => {
  let drive: DrivePanel;
  let control: ControlPage;

  test.beforeEach(async ({ page }) => {
    drive = new DrivePanel(page);
    control = await drive.openOnWheels();
    await control.enable();
    await drive.area.click();
    await expect(drive.said).toContainText('Hold Space to drive.');
  });

  test('a key moves nothing without Space, nor while it is held since before', async ({ page }) => {
    await page.keyboard.down('KeyW');
    await page.keyboard.down('Space');
    await expect(drive.said).toContainText('Driving');
    await page.keyboard.down('KeyW');
    await page.keyboard.down('KeyA');
    // A only: W would add to it.
    await expect.poll(() => control.motor('right').value('power')).toBeCloseTo(0.3, 2);
    await expect.poll(() => control.motor('left').value('power')).toBeCloseTo(-0.3, 2);
    await page.keyboard.up('KeyW');
    await page.keyboard.down('KeyW');
    await expect.poll(() => control.motor('left').value('power')).toBe(0);
    await page.keyboard.up('Space');
    await expect(control.motor('right').state).toHaveText('still');
  });

  test('Escape stops everything and leaves; a focus that goes elsewhere stops too', async ({ page }) => {
    const { keyboard } = page;
    for (const leave of [() => keyboard.press('Escape'), () => keyboard.press('Tab')]) {
      await drive.area.focus();
      await keyboard.down('Space');
      await keyboard.down('KeyW');
      await expect(control.motor('left').state).toHaveText('moving');
      await leave();
      await expect(control.motor('left').state).toHaveText('still');
      await expect(drive.area).not.toBeFocused();
      await keyboard.up('KeyW');
      await keyboard.up('Space');
    }
  });

  test('its keys type in a field, and Space outside of it stops everything', async ({ page }) => {
    await drive.field('Power limit').fill('');
    await page.keyboard.type('w5');
    await expect(drive.field('Power limit')).toHaveValue('w5');
    await drive.panel.getByRole('heading', { name: 'Drive' }).click();
    await page.keyboard.press('Space');
    await expect(new Shell(page).stopOutcome).toContainText('All stopped');
  });
});
