import { MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { OverviewPage } from '../../page-objects/overview.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('values are pinned, moved and unpinned by keyboard, and outlive a reload', async ({ page, machine }) => {
  const { grpc } = new MachineClient(machine);
  const overview = new OverviewPage(page);
  await overview.open();
  await expect(overview.pinned).toBeHidden();
  await overview.pinOf('speed of left').focus();
  await page.keyboard.press('Enter');
  await overview.pinOf('position of wheel').focus();
  await page.keyboard.press('Space');
  await expect(overview.pinOf('position of wheel')).toHaveAttribute('aria-pressed', 'true');
  await expect(overview.pins).toHaveCount(2);
  await expect(overview.pin('speed of left')).toContainText(/\b0\srpm/);

  await grpc.call(MotorServiceDefinition, 'setRPM', { name: 'left', rpm: 60 });
  await expect(overview.pin('speed of left')).toContainText(/(5[5-9]|6[0-5])\srpm/);
  await expect(overview.pin('speed of left').locator('path')).toHaveAttribute('d', /^M.+L/);
  await grpc.call(MotorServiceDefinition, 'stop', { name: 'left' });

  await overview
    .pin('position of wheel')
    .getByRole('button', { name: /earlier$/ })
    .focus();
  await page.keyboard.press('Enter');
  await expect(overview.pins.first()).toContainText('wheel');
  await expect(overview.pinned.getByRole('status')).toHaveText('position of wheel is now 1 of 2');
  // The focus goes with it, to the way back.
  await expect(overview.pin('position of wheel').getByRole('button', { name: /later$/ })).toBeFocused();

  await page.reload();
  await expect(overview.pins).toHaveCount(2);
  await expect(overview.pins.first()).toContainText('wheel');
  await expect(overview.pin('speed of left')).toContainText(/\b0\srpm/);

  await overview
    .pin('position of wheel')
    .getByRole('button', { name: /^Unpin/ })
    .focus();
  await page.keyboard.press('Enter');
  await expect(overview.pins).toHaveCount(1);
  await expect(overview.pin('speed of left').getByRole('button', { name: /^Unpin/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(overview.pinned).toBeHidden();
  await page.reload();
  await expect(overview.node('left')).toBeVisible();
  await expect(overview.pinned).toBeHidden();
});

test('plotted values of cards are pinned in Control, eight at most', async ({ page }) => {
  const control = new ControlPage(page);
  const overview = new OverviewPage(page);
  const pin = (card: string, label: string) =>
    control.card(card).getByRole('button', { name: `Pin ${label} to overview` });
  await new Shell(page).open('Control');
  for (const motor of ['left', 'right']) {
    await pin(motor, 'speed').click();
    await pin(motor, 'power').click();
  }
  await pin('wheel', 'position').click();
  await pin('climate', 'celsius').click();
  await pin('bench', 'pot').click();
  await expect(pin('bench', 'pot')).toHaveAttribute('aria-pressed', 'true');
  await overview.open();
  await expect(overview.pins).toHaveCount(7);
  await expect(overview.pin('celsius of climate')).toContainText(/21.5\s°C/);
  await expect(overview.pin('power of right')).toContainText(/0.00\sof 1/);
  await expect(overview.pin('pot of bench')).toContainText(/\d/);
});
