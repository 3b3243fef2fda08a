import { expect, test } from '../../fixtures/machine-test.ts';
import { ControlPage, type ServoCard } from '../../page-objects/control.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({
  config: JSON.stringify({
    network: { bind_address: 'localhost:0' },
    components: [
      { name: 'bench', api: 'core:component:board', model: 'fake', attributes: { fail_new: false } },
      {
        name: 'pan',
        api: 'core:component:servo',
        model: 'gpio',
        attributes: { board: 'bench', pin: '7', frequency_hz: 50, max_angle_deg: 120, starting_position_deg: 60 },
      },
      {
        name: 'tilt',
        api: 'core:component:servo',
        model: 'gpio',
        attributes: { board: 'bench', pin: '8', frequency_hz: 50, speed_deg_per_sec: 10 },
      },
    ],
  }),
});

let control: ControlPage;
let pan: ServoCard;

test.beforeEach(async ({ page }) => {
  await new Shell(page).open('Control');
  control = new ControlPage(page);
  pan = control.servo('pan');
  await expect(pan.card).toContainText(/angle\s*60 °/);
});

/** Drags the thumb to an angle and keeps hold of it. */
async function dragTo(angleDeg: number): Promise<void> {
  const { page } = control;
  await pan.thumb.hover();
  await page.mouse.down();
  const box = await pan.track.boundingBox();
  if (box === null) throw new Error('the slider is not on the screen');
  await page.mouse.move(box.x + (angleDeg / 120) * box.width, box.y + box.height / 2, { steps: 8 });
}

test('a servo is moved only while control is on, to a typed angle, which is checked before it is sent', async () => {
  await expect(pan.go).toBeDisabled();
  await control.enable();
  await pan.angle.fill('121');
  await expect(pan.card).toContainText('from 0 to 120 °');
  await expect(pan.go).toBeDisabled();
  await pan.angle.fill('100');
  await expect(pan.card).toContainText(/angle\s*60 °/);
  await pan.angle.press('Enter');
  await expect(pan.card).toContainText(/angle\s*100 °/);
  await expect(pan.card).toContainText(/now 100 ° · /);
  await expect(pan.command).toContainText('going to 100°: accepted in');
});

test('a servo follows the thumb of its slider, stays where it is let go, and a press beside it moves nothing', async ({
  page,
}) => {
  await control.enable();
  await dragTo(20);
  await expect(pan.card).toContainText(/angle\s*(19|20|21) °/);
  await page.mouse.up();
  const box = await pan.track.boundingBox();
  if (box === null) throw new Error('the slider is not on the screen');
  await page.mouse.click(box.x + box.width * 0.9, box.y + box.height / 2);
  await pan.stop.click();
  await expect(pan.command).toContainText('stop: done in');
  await expect(pan.card).toContainText(/angle\s*(19|20|21) °/);
});

test('Stop all, and control going off, end the pulses of a servo that was moved', async ({ page }) => {
  const board = control.board('bench');
  await board.addPin('7');
  await control.enable();
  for (const [angle, stop] of [
    ['90', () => new Shell(page).stopAll.click()],
    ['30', () => control.enableSwitch.click()],
  ] as const) {
    await pan.angle.fill(angle);
    await pan.go.click();
    await expect(pan.card).toContainText(new RegExp(`angle\\s*${angle} °`));
    await stop();
    await expect(pan.command).toContainText('no longer holds its angle');
    await board.readPin('7');
    await expect(board.pinValue('7')).toContainText('low');
  }
  await expect(pan.go).toBeDisabled();
});

test('a servo that was sent nowhere says so, and one whose speed is known says that it moves', async () => {
  const tilt = control.servo('tilt');
  await expect(tilt.card).toContainText('so where it stands is not known');
  await control.enable();
  await tilt.angle.fill('5');
  await tilt.go.click();
  await expect(tilt.card).toContainText(/angle\s*5 °/);
  await expect(tilt.card.getByText('moving', { exact: true })).toBeVisible();
  await tilt.stop.click();
  await expect(tilt.card.getByText('moving', { exact: true })).toBeHidden();
});
