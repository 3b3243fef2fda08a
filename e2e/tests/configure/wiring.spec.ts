import { expect, test } from '../../fixtures/machine-test.ts';
import { ApplyBar } from '../../page-objects/apply-bar.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { checkLook, keepPicture } from '../../page-objects/look.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';
import { Shell } from '../../page-objects/shell.ts';

/** As a person has it who added a board, an encoder and a motor, and chose pins: the board knows of none of them. */
const unwired = {
  network: { bind_address: 'localhost:0' },
  components: [
    { name: 'board-1', api: 'core:component:board', model: 'fake', attributes: { fail_new: false } },
    {
      name: 'encoder-1',
      api: 'core:component:encoder',
      model: 'incremental',
      attributes: { board: 'board-1', pins: { a: '16', b: '' } },
    },
    {
      name: 'motor-1',
      api: 'core:component:motor',
      model: 'gpio',
      attributes: {
        board: 'board-1',
        pins: { a: '11', b: '13', pwm: '15' },
        encoder: 'encoder-1',
        ticks_per_rotation: 200,
      },
    },
  ],
};

test.use({ config: JSON.stringify(unwired, null, 2) });
/** The screen is examined in both themes on the way. */
test.setTimeout(120_000);

test('what the board does not have is said at the pin before Apply, and added from there; then the motor turns', async ({
  page,
}) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  await configure.open('encoder-1');
  await form.field('Channel B').fill('18');
  await form.field('Channel B').press('Tab');
  const channelA = form.around('Channel A');
  await expect(channelA).toContainText('Board "board-1" has no digital interrupt "16"; it has none.');
  await expect(channelA.getByText('no digital interrupt')).toHaveCount(1);
  await expect(configure.bar).toContainText('will not be ready: encoder-1, motor-1');
  // None of them ever ran.
  await expect(configure.bar).toContainText('nothing stops');
  await checkLook(page, 'configure-wiring');
  const fix = form.button('Add interrupt 16 to board-1');
  await fix.focus();
  await page.keyboard.press('Enter');
  await expect(fix).toHaveCount(0);
  await form.button('Add interrupt 18 to board-1').click();
  await expect(configure.bar).not.toContainText('will not be ready');
  await expect(form.around('Channel B')).not.toContainText('no digital interrupt');

  await configure.open('motor-1');
  await expect(configure.form).toContainText('Nothing turns: fake board "board-1" simulates no motor on these pins.');
  await keepPicture(page, 'configure-wiring-motor');
  await form.button('Simulate a motor on these pins').click();
  await expect(configure.problems).toContainText('No problems');
  await new ApplyBar(page).applyButton.click();
  await expect(new Shell(page).machine).toContainText('3 of 3 ready');
  const control = new ControlPage(page);
  const motor = await control.openWith('motor-1');
  await motor.go.click();
  await expect(motor.command).toContainText('done');
  expect(await motor.value('position')).toBeCloseTo(1, 1);
});
