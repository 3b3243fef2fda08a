import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import type { ControlPage } from '../../page-objects/control.ts';
import { DrivePanel } from '../../page-objects/drive.ts';
import { FakeGamepad, padAxes, padButtons } from '../../page-objects/gamepad.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

let pad: FakeGamepad;
let drive: DrivePanel;
let control: ControlPage;

test.beforeEach(async ({ page }) => {
  pad = await FakeGamepad.of(page);
  drive = new DrivePanel(page);
  control = await drive.openOnWheels();
  await pad.plugIn();
  await expect(drive.panel).toContainText('Xbox 360 Controller');
});

/** Drives forward, holding the left bumper. */
async function driveForward(): Promise<void> {
  await control.enable();
  await expect(drive.said).toContainText('Hold LB to drive.');
  await pad.press(padButtons.leftBumper);
  await expect(drive.said).toContainText('Let go of LB to stop.');
  await pad.tilt(padAxes.leftY, -1);
  await expect(control.motor('left').state).toHaveText('moving');
}

/** Lets go, as the panel asks after driving was ended, and drives forward again. */
async function driveAgain(): Promise<void> {
  await expect(drive.said).toContainText('Let go of LB, then hold it again.');
  await pad.tilt(padAxes.leftY, 0);
  await pad.release(padButtons.leftBumper);
  await expect(drive.said).toContainText('Hold LB to drive.');
  await pad.press(padButtons.leftBumper);
  await expect(drive.said).toContainText('Driving');
  await pad.tilt(padAxes.leftY, -1);
  await expect(control.motor('left').state).toHaveText('moving');
}

async function expectStill(): Promise<void> {
  for (const name of ['left', 'right']) {
    await expect(control.motor(name).state).toHaveText('still');
    await expect.poll(() => control.motor(name).value('power')).toBe(0);
  }
}

test('the left stick drives two motors within the power limit, and they stop when the bumper is let go', async () => {
  await driveForward();
  await expect.poll(() => control.motor('left').value('power')).toBeCloseTo(0.3, 2);
  await expect.poll(() => control.motor('right').value('power')).toBeCloseTo(0.3, 2);
  await expect(control.motor('left').goal).not.toContainText('commanded elsewhere');
  await pad.tilt(padAxes.leftY, 0);
  await pad.tilt(padAxes.leftX, 1);
  await expect.poll(() => control.motor('right').value('power')).toBeCloseTo(-0.3, 2);
  await pad.release(padButtons.leftBumper);
  await expectStill();
  await expect(drive.said).toContainText('Stopped');
});

test('nothing moves without the enable switch, nor when it is switched on while the bumper is held', async () => {
  await pad.press(padButtons.leftBumper);
  await pad.tilt(padAxes.leftY, -1);
  await expect(drive.said).toContainText('Enable control first.');
  await control.enable();
  await expect(drive.said).toContainText('Let go of LB, then hold it again.');
  await expectStill();
});

test('nothing moves without the hold, and a stick that is tilted when it begins must first be centred', async () => {
  await control.enable();
  await pad.tilt(padAxes.leftY, -1);
  await expect(drive.sticks).toContainText('−1.00');
  await expect(drive.said).toContainText('Hold LB to drive.');
  await expectStill();
  await pad.press(padButtons.leftBumper);
  await expect(drive.said).toContainText('Centre the sticks first.');
  await expectStill();
  await pad.tilt(padAxes.leftY, 0);
  await expect(drive.said).toContainText('Driving');
  await pad.tilt(padAxes.leftY, 1);
  await expect.poll(() => control.motor('left').value('power')).toBeCloseTo(-0.3, 2);
});

test('a gamepad that is unplugged stops the motors, and plugged in again it needs a new hold', async () => {
  await driveForward();
  await pad.unplug();
  await expectStill();
  await expect(drive.said).toContainText('The gamepad was disconnected.');
  await expect(drive.panel).toContainText('Connect a gamepad and press one of its buttons.');
  await pad.plugIn({ down: [padButtons.leftBumper] });
  await pad.tilt(padAxes.leftY, -1);
  await expect(drive.sticks).toContainText('−1.00');
  await expect(drive.said).toContainText('Let go of LB, then hold it again.');
  await expectStill();
});

test('a window that loses the focus or is hidden stops the motors', async ({ page }) => {
  await driveForward();
  await page.evaluate(`window.dispatchEvent(new Event('blur'))`);
  await expectStill();
  await driveAgain();
  await page.evaluate(`(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  })()`);
  await expectStill();
  await expect(control.enableSwitch).toHaveAttribute('aria-checked', 'false');
});

test('Stop all and the Stop of a card stop the motors, and each needs a new hold', async ({ page }) => {
  await driveForward();
  for (const stop of [new Shell(page).stopAll, control.motor('left').stop]) {
    await stop.click();
    await expectStill();
    await driveAgain();
  }
  await drive.press('Close');
  await expectStill();
});

test('a gamepad that the browser does not know drives with the stick and the button that are captured', async () => {
  await pad.plugIn({ id: 'Joystick (Vendor: 046d Product: c215)', mapping: '', axes: 6 });
  await expect(drive.panel).toContainText('The browser does not know this gamepad.');
  await drive.press('Hold button: detect by pressing it');
  await expect(drive.said).toContainText('Press the button you want.');
  await pad.press(9);
  // Looked at from time to time: a press that nobody saw is none.
  await expect(drive.said).not.toContainText('Press the button you want.');
  await pad.release(9);
  await drive.press('Forward: detect by moving a stick');
  await expect(drive.said).toContainText('Move the stick in the direction you want.');
  await pad.tilt(4, -1);
  await expect(drive.choice('Forward').locator('option:checked')).toHaveText('axis 4, minus');
  await pad.tilt(4, 0);
  await control.enable();
  await expect(drive.said).toContainText('Hold button 9 to drive.');
  await pad.press(9);
  await expect(drive.said).toContainText('Driving');
  await pad.tilt(4, -0.55);
  await expect.poll(() => control.motor('left').value('power')).toBeCloseTo(0.15, 2);
});
