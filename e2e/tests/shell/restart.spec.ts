import type { Page } from '@playwright/test';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook, keepPicture } from '../../page-objects/look.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

/** Changes something, starts the server again, which has another key then, and connects. */
async function changedAndRestarted(page: Page, machine: ServerProcess) {
  const shell = new Shell(page);
  await expect(shell.machine).toContainText('5 of 5 ready');
  const configure = new ConfigurePage(page);
  await configure.replaceText(windowBench.replace('21.5', '30'));
  await machine.kill('SIGKILL');
  const again = await startServer({ config: windowBench.replace('localhost:0', `localhost:${machine.port}`) });
  await page.getByRole('button', { name: 'Try now' }).click();
  return { shell, configure, again };
}

test('a server started again refuses the old page, which says what to do; its new address in the same tab is enough', async ({
  page,
  machine,
}) => {
  const { shell, configure, again } = await changedAndRestarted(page, machine);
  try {
    await expect(page.getByText('This page needs a new key')).toBeVisible();
    await checkLook(page, 'refused');
    await shell.stopAll.click();
    await expect(shell.stopOutcome).toContainText('Stop all failed');
    await keepPicture(page, 'stop-failed');
    // What it says does not cover the way back.
    await page.getByRole('button', { name: 'Try now' }).click();
    await expect(page.getByText('This page needs a new key')).toBeVisible();
    await page.evaluate(`location.href = ${JSON.stringify(again.pageUrl)}`);
    await expect(shell.machine).toContainText('5 of 5 ready');
    await expect(page.getByText('This page needs a new key')).toBeHidden();
    expect(page.url()).not.toContain('token');
    await page.getByRole('banner').getByRole('button', { name: 'Close' }).click();
    await expect(shell.stopOutcome).toBeEmpty();
    await configure.open('climate');
    await configure.openText();
    await expect(configure.editor).toContainText('"celsius": 30');
  } finally {
    await again.stop();
  }
});

test('the address that the server printed can be pasted into the page, which keeps what was typed', async ({
  page,
  machine,
}) => {
  const { shell, configure, again } = await changedAndRestarted(page, machine);
  try {
    const address = page.getByLabel('Address that the server printed');
    const answer = page.getByRole('main').getByRole('alert');
    await address.fill(again.url);
    await address.press('Enter');
    await expect(answer).toHaveText('There is no key in this text. Paste the whole line, up to its end.');
    await address.fill(`open ${machine.pageUrl}`);
    await expect(answer).toBeEmpty();
    await address.press('Enter');
    await expect(answer).toHaveText('The server did not accept this key. Copy the address of its latest start.');
    await keepPicture(page, 'wrong-key');
    await address.fill(`open ${again.pageUrl}`);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect(shell.machine).toContainText('5 of 5 ready');
    await expect(address).toBeHidden();
    await configure.open('climate');
    await configure.openText();
    await expect(configure.editor).toContainText('"celsius": 30');
  } finally {
    await again.stop();
  }
});
