import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('the header shows the machine and how many resources are ready', { tag: '@smoke' }, async ({ page }) => {
  const shell = new Shell(page);
  await expect(shell.machine).toContainText('running');
  await expect(shell.machine).toContainText('5 of 5 ready');
});

test('a resource that fails shows its state and its reason', { tag: '@smoke' }, async ({ page, machine }) => {
  const configure = new ConfigurePage(page);
  await expect(configure.resource('left')).toContainText('ready');
  await machine.writeConfig(windowBench.replace('"fail_new": false', '"fail_new": true'));
  await expect(configure.resource('bench')).toContainText('failed');
  await expect(configure.resource('bench')).toContainText('fail_new');
  await expect(configure.resource('left')).toContainText('waiting');
  await expect(new Shell(page).machine).toContainText('failed');
});

test('the launch token does not stay in the address', async ({ page }) => {
  await expect(new Shell(page).machine).toContainText('running');
  expect(page.url()).not.toContain('token');
});

test('the theme follows the choice and outlives a reload', async ({ page }) => {
  const shell = new Shell(page);
  await shell.chooseTheme('Dark');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('a lost link is said, and what is shown is marked as old', { tag: '@smoke' }, async ({ page, machine }) => {
  const shell = new Shell(page);
  await expect(shell.machine).toContainText('running');
  await machine.kill('SIGKILL');
  await expect(page.getByText(/No connection to the machine/).first()).toBeVisible();
  await expect(shell.machine).toContainText('last known');
  await expect(page.getByRole('button', { name: 'Try now' })).toBeVisible();
});

test('an address that is gone to before the first screen is there is gone to', async ({ page, machine }) => {
  await page.goto('about:blank');
  let release = (): void => undefined;
  const gone = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/ConfigurePage-*.js', async (route) => {
    await gone;
    await route.continue();
  });
  const asked = page.waitForRequest('**/ConfigurePage-*.js');
  await page.goto(machine.url, { waitUntil: 'commit' });
  await asked;
  await page.goto(`${machine.url}/#/settings`);
  release();
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await expect(page).toHaveURL(/#\/settings$/);
});
