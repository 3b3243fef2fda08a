import type { Page } from '@playwright/test';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

/** Colours that filled dots and pills of states have on the screen. */
function filledStates(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const shown = [...document.querySelectorAll('main .dot, main .chip, main svg.frame circle')].filter((one) => one.checkVisibility());
    if (shown.length === 0) throw new Error('no state is shown');
    return shown
      .map((one) => (one instanceof SVGElement ? getComputedStyle(one).fill : getComputedStyle(one).backgroundColor))
      .filter((color) => color !== 'none' && color !== 'rgba(0, 0, 0, 0)');
  })()`);
}

test('without a server no screen shows a state as that of now', async ({ page, machine }) => {
  test.setTimeout(300_000);
  const shell = new Shell(page);
  const configure = new ConfigurePage(page);
  await expect(shell.machine).toContainText('running');
  // What was never opened cannot be opened without the server.
  for (const name of ['Overview', 'Control', 'Configure'] as const) await shell.open(name);
  await configure.open('left');
  await expect(configure.resource('left')).toContainText('ready');
  await machine.kill('SIGKILL');
  await expect(page.getByText(/No connection to the machine/).first()).toBeVisible();

  await expect(configure.resource('left')).toContainText('ready, last known');
  await expect(configure.middle).toContainText('ready, last known');
  await expect.poll(() => filledStates(page)).toEqual([]);
  await checkLook(page, 'last-known-configure');
  await shell.open('Control');
  await expect(page.getByRole('article', { name: 'left' })).toBeVisible();
  await expect(page.getByText('Nothing can be moved without a connection.')).toBeVisible();
  await expect.poll(() => filledStates(page)).toEqual([]);
  await checkLook(page, 'last-known-control');
  await shell.open('Overview');
  await expect(page.getByText('No connection: these are the last known values.')).toBeVisible();
  await expect.poll(() => filledStates(page)).toEqual([]);
  await checkLook(page, 'last-known-overview');
});
