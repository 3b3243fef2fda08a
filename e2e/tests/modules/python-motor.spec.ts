import { expect, test } from '../../fixtures/python-module-test.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ControlPage, type MotorCard } from '../../page-objects/control.ts';
import { ModuleCard } from '../../page-objects/module-card.ts';
import { Shell } from '../../page-objects/shell.ts';

/** Holds a button and looks while it is held. */
async function turn(motor: MotorCard): Promise<void> {
  await motor.forward.hover();
  await motor.card.page().mouse.down();
  await expect(motor.state).toHaveText('moving');
  await expect.poll(() => motor.value('power')).toBeCloseTo(0.3, 1);
  await expect.poll(() => motor.value('position')).toBeGreaterThan(0.1);
  await motor.card.page().mouse.up();
  await expect(motor.state).toHaveText('still');
}

test('a motor of a module in Python turns beside a built-in one', async ({ page, machine }) => {
  await machine.ready('left', 'right');
  const control = new ControlPage(page);
  await control.openWith('left');
  await turn(control.motor('left'));
  await turn(control.motor('right'));
  await expect.poll(() => machine.client.pwm('15')).toBe(0);
});

test('a module that is killed says why, and its motor is back by itself and turns', async ({ page, machine }) => {
  await machine.ready('left', 'right');
  const control = new ControlPage(page);
  await control.openWith('left');
  const first = await machine.moduleReady('acme_pysdk');
  process.kill(first, 'SIGKILL');
  // It is started again at once: the reason is there as long as that takes.
  await expect(control.card('right')).toContainText(/(failed|waiting).*killed by SIGKILL/is);
  // What has nothing to do with it goes on.
  await turn(control.motor('left'));
  await expect(control.motor('right').state).toHaveText('still', { timeout: 30_000 });
  await turn(control.motor('right'));

  await new Shell(page).open('Configure');
  await new ConfigurePage(page).open('acme_pysdk');
  const module = new ModuleCard(page);
  await expect(module.card).toContainText('Ready');
  await expect(module.card).toContainText('killed by SIGKILL');
});

test('a module is restarted from the window whatever its state, with what it moves named first', async ({
  page,
  machine,
}) => {
  await machine.ready('right');
  const first = await machine.moduleReady('acme_pysdk');
  await machine.client.setPower('right', 0.4);
  await new Shell(page).open('Configure');
  await new ConfigurePage(page).open('acme_pysdk');
  const module = new ModuleCard(page);
  await module.restart.click();
  await expect(module.question).toContainText('right');
  await module.question.getByRole('button', { name: /restart/i }).click();
  await machine.moduleReady('acme_pysdk', first);
  await machine.ready('right');
  expect(await machine.client.isMoving('right')).toBe(false);
  await expect.poll(() => machine.client.pwm('15')).toBe(0);
});
