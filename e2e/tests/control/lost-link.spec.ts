import type { WebSocketRoute } from '@playwright/test';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('a link that breaks while a button is held stops the motor, though the link is back before the session is over', async ({
  page,
  machine,
}) => {
  let channel: WebSocketRoute | undefined;
  await page.routeWebSocket(/\/channel$/, (socket) => {
    channel = socket;
    socket.connectToServer();
  });
  await page.goto('about:blank');
  await page.goto(machine.pageUrl);
  await new Shell(page).open('Control');
  const control = new ControlPage(page);
  const left = control.motor('left');
  await control.enable();
  await left.forward.hover();
  await page.mouse.down();
  await expect(left.state).toHaveText('moving');
  await channel?.close({ code: 4000, reason: 'cut' });
  await expect(page.getByText('Control is off: the connection was lost.')).toBeVisible();
  await expect(new Shell(page).machine).not.toContainText('last known');
  await expect(left.forward).toBeDisabled();
  await expect(left.state).toHaveText('still', { timeout: 5_000 });
  await page.mouse.up();
});

test('a machine that does not answer any more is a lost link: control goes off, and Stop all does not claim a stop', async ({
  page,
  machine,
}) => {
  // A silent machine is noticed within 12 s where its sessions have a long window, as here.
  const noticed = { timeout: 20_000 };
  const shell = new Shell(page);
  await shell.open('Control');
  const control = new ControlPage(page);
  await control.enable();
  await control.motor('left').forward.hover();
  await page.mouse.down();
  await expect(control.motor('left').state).toHaveText('moving');
  machine.process.kill('SIGSTOP');
  try {
    await expect(page.getByText(/No connection to the machine/).first()).toBeVisible(noticed);
    await expect(page.getByText('Control is off: the connection was lost.')).toBeVisible();
    // The button of the mouse is still down.
    await page.keyboard.press('Escape');
    await expect(shell.stopOutcome).toContainText('Stop all failed');
  } finally {
    machine.process.kill('SIGCONT');
  }
  await page.mouse.up();
  await expect(shell.machine).not.toContainText('last known', { timeout: 20_000 });
  await expect(control.motor('left').state).toHaveText('still');
});
