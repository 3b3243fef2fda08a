import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { windowBench } from '../../fixtures/window-bench.ts';
import { freePort } from '../../../src-main/rpc/port/free-port.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { ApplyBar } from '../../page-objects/apply-bar.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';

/** Long enough for the page to find the same server again by itself, at the same address with the same key. */
const environment = { SVC_LAUNCH_TOKEN: 'a-launch-token-for-tests-that-restart-servers' };

const brokenOf = (config: string): string => config.replace('"fail_new": false', '"fail_new": true');

let config = '';
let machine: ServerProcess;

test.beforeEach(async ({ page }) => {
  config = windowBench.replace('localhost:0', `localhost:${await freePort()}`);
  machine = await startServer({ config, environment });
  await page.goto(machine.pageUrl);
});

test.afterEach(async () => {
  await machine.stop();
});

async function crash(): Promise<void> {
  await machine.crash();
}

async function startAgain(): Promise<void> {
  machine = await startServer({ config: '', home: machine.home, environment });
}

test('each resource is shown until it is ready, and the panel goes when all are', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const apply = new ApplyBar(page);
  await configure.replaceText(brokenOf(config));
  await apply.returnAfter('5 min');
  await apply.applyButton.click();
  await apply.plan.getByRole('button', { name: /apply/i }).click();
  for (const name of ['bench', 'left', 'right', 'wheel']) await expect(apply.progressOf(name)).toBeVisible();
  await expect(apply.progressOf('wheel')).toContainText('waiting');
  await expect(apply.progress).toContainText(/0 of 4 ready/);
  // The other window sees the same, and may decide.
  const other = await page.context().newPage();
  await other.goto(machine.pageUrl);
  const theirs = new ApplyBar(other);
  await expect(theirs.progressOf('bench')).toContainText('failed');
  await theirs.goBackNow.click();
  await expect(apply.progress).toBeHidden();
  await expect(apply.returned).toBeVisible();
  await apply.progress.waitFor({ state: 'hidden' });
});

test('a server that dies in the trial and comes back goes on with it, and the page says how it ended', async ({
  page,
}) => {
  const configure = new ConfigurePage(page);
  const apply = new ApplyBar(page);
  await configure.replaceText(brokenOf(config));
  await apply.returnAfter('10 s');
  await apply.applyButton.click();
  await apply.plan.getByRole('button', { name: /apply/i }).click();
  await expect(apply.progressOf('bench')).toContainText('failed');
  await crash();
  await expect(page.getByText('No connection to the machine', { exact: false }).first()).toBeVisible();
  await expect(apply.bar).toContainText('The result is not known until the machine is connected again');
  await startAgain();
  await expect(apply.progress).toContainText('goes back to the previous configuration in', { timeout: 20_000 });
  await expect(apply.returned).toContainText('not ready in 10 s', { timeout: 30_000 });
  await expect(configure.editor).toContainText('"fail_new": true');
  expect(await readFile(machine.configPath, 'utf8')).toBe(config);
});

test('an apply that dies on the way is not called done: after the return of the link the page says what holds', async ({
  page,
}) => {
  const configure = new ConfigurePage(page);
  const apply = new ApplyBar(page);
  const changed = config.replace('21.5', '30');
  await configure.replaceText(changed);
  await expect(apply.applyButton).toHaveAttribute('aria-disabled', 'false');
  // A server that hangs takes the call and never answers it.
  machine.process.kill('SIGSTOP');
  await apply.applyButton.click();
  await crash();
  await expect(apply.bar).toContainText(/Nothing was applied|did not confirm/);
  await expect(configure.editor).toContainText('"celsius": 30');
  await checkLook(page, 'apply-lost-link');
  await startAgain();
  await expect(apply.applyButton).toHaveAttribute('aria-disabled', 'false', { timeout: 20_000 });
  await expect(configure.editor).toContainText('"celsius": 30');
  expect(await readFile(machine.configPath, 'utf8')).toBe(config);
  await apply.applyButton.click();
  await expect(apply.bar).toContainText('Applied. All 5 ready in');
  expect(await readFile(machine.configPath, 'utf8')).toBe(changed);
});
