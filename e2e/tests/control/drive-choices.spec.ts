import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { DrivePanel } from '../../page-objects/drive.ts';
import { checkLook } from '../../page-objects/look.ts';
import { FakeGamepad, padAxes, padButtons } from '../../page-objects/gamepad.ts';
import { Shell } from '../../page-objects/shell.ts';

const servo = `
    {
      "name": "pan",
      "api": "core:component:servo",
      "model": "gpio",
      "attributes": { "board": "bench", "pin": "7", "frequency_hz": 50, "max_angle_deg": 120, "starting_position_deg": 60 }
    },`;
test.use({ config: windowBench.replace('"components": [', `"components": [${servo}`) });

let drive: DrivePanel;
let control: ControlPage;

test('choices are kept after a reload, and a motor that is gone is named and drives nothing', async ({ page }) => {
  drive = new DrivePanel(page);
  control = await drive.openOnWheels();
  await drive.field('Right motor, reversed').check();
  await drive.field('Power limit').fill('50');
  await page.reload();
  await expect(drive.choice('Left motor').locator('option:checked')).toHaveText('left');
  await expect(drive.field('Right motor, reversed')).toBeChecked();
  await expect(drive.field('Power limit')).toHaveValue('50');
  await page.evaluate(`(() => {
    for (const [key, text] of Object.entries(localStorage)) {
      if (key.startsWith('armature.drive')) localStorage.setItem(key, text.replace('motor/right', 'motor/old'));
    }
  })()`);
  await page.reload();
  await expect(drive.choice('Right motor').locator('option:checked')).toHaveText('old (not on this machine)');
  await expect(drive.panel).toContainText('Not on this machine now. Choose another one.');
  await control.enable();
  await drive.area.focus();
  await expect(drive.said).toContainText('old is not on this machine now. Choose another one.');
  await page.keyboard.down('Space');
  await page.keyboard.down('KeyW');
  await expect(drive.said).toContainText('Stopped');
  await expect(control.motor('left').state).toHaveText('still');
  await expect.poll(() => control.motor('left').value('power')).toBe(0);
});

test('single motors and a servo are moved by the keys that were chosen for them', async ({ page }) => {
  await new Shell(page).open('Control');
  drive = new DrivePanel(page);
  control = new ControlPage(page);
  await drive.button.click();
  await drive.press('Single motors');
  await drive.press('Add motor');
  await drive.choice('Motor 1').selectOption('right');
  await drive.choice('Motor 1 is moved by').selectOption('R and F');
  await drive.press('Add servo');
  await drive.choice('Servo 1').selectOption('pan');
  await drive.choice('Servo 1 is moved by').selectOption('E and Q');
  await control.enable();
  await drive.area.focus();
  await page.keyboard.down('Space');
  await expect(drive.said).toContainText('Driving');
  await page.keyboard.down('KeyF');
  await expect.poll(() => control.motor('right').value('power')).toBeCloseTo(-0.3, 2);
  await page.keyboard.down('KeyE');
  await expect(control.servo('pan').card).toContainText(/angle\s*120 °/);
  await page.keyboard.up('Space');
  await expect(control.motor('right').state).toHaveText('still');
  await expect(control.servo('pan').card).toContainText(/angle\s*120 °/);
});

test('the panel is accessible in both themes, on a phone too, with a gamepad and with single motors', async ({
  page,
}) => {
  const pad = await FakeGamepad.of(page);
  drive = new DrivePanel(page);
  control = await drive.openOnWheels();
  await checkLook(page, 'control-drive-empty');
  await pad.plugIn();
  await control.enable();
  await pad.press(padButtons.leftBumper);
  await expect(drive.said).toContainText('Driving');
  await pad.tilt(padAxes.leftY, -0.8);
  await pad.tilt(padAxes.leftX, 0.3);
  await expect(control.motor('left').state).toHaveText('moving');
  await checkLook(page, 'control-drive');
  await drive.press('Single motors');
  await drive.press('Add motor');
  await drive.press('Add motor');
  await drive.press('Add servo');
  await drive.choice('Servo 1').selectOption('pan');
  await checkLook(page, 'control-drive-single');
});
