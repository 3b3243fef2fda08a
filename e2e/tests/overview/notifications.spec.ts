import { writeFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { NotificationStub, OverviewPage } from '../../page-objects/overview.ts';
import { Shell } from '../../page-objects/shell.ts';

const failing = windowBench.replace('"fail_new": false', '"fail_new": true');
test.use({ config: windowBench });

test('a failure is told while the page is hidden, once until the resource was ready, and not before it is wanted', async ({
  page,
  machine,
}) => {
  const stub = await NotificationStub.install(page, 'default', 'granted');
  await page.goto('about:blank');
  await page.goto(machine.pageUrl);
  const shell = new Shell(page);
  await shell.open('Settings');
  const wanted = page.getByRole('switch', { name: 'Tell me when something fails' });
  await expect(wanted).toHaveAttribute('aria-checked', 'false');
  await wanted.focus();
  await page.keyboard.press('Space');
  await expect(wanted).toHaveAttribute('aria-checked', 'true');

  // Seen: no notification.
  await writeFile(machine.configPath, failing);
  await expect(shell.machine).toContainText('1 failed');
  expect(await stub.shown()).toEqual([]);
  await writeFile(machine.configPath, windowBench);
  await expect(shell.machine).toContainText('5 of 5 ready');

  // It is kept in this browser.
  await page.reload();
  await expect(wanted).toHaveAttribute('aria-checked', 'true');
  await expect(shell.machine).toContainText('5 of 5 ready');
  await stub.hidePage(true);
  await writeFile(machine.configPath, failing);
  await expect.poll(async () => (await stub.shown()).length).toBe(1);
  expect((await stub.shown())[0]?.title).toBe('bench failed');
  await stub.click();
  await expect(page).toHaveURL(/#\/configure\/resource\/bench$/);
  // It is tried again and fails again: that is no news.
  await writeFile(machine.configPath, failing.replace('"max_rpm": 120 }\n        ]', '"max_rpm": 121 }\n        ]'));
  await expect(new OverviewPage(page).page.getByText(/attempt/).first()).toBeVisible({ timeout: 20_000 });
  expect(await stub.shown()).toHaveLength(1);
});

test('many failures at once are one notification', async ({ page, machine }) => {
  const stub = await NotificationStub.install(page, 'granted');
  await page.goto('about:blank');
  await page.goto(machine.pageUrl);
  const shell = new Shell(page);
  await shell.open('Settings');
  await page.getByRole('switch', { name: 'Tell me when something fails' }).click();
  await stub.hidePage(true);
  const boards = ['a', 'b', 'c'].map(
    (name) =>
      `{ "name": "${name}", "api": "core:component:board", "model": "fake", "attributes": { "fail_new": true } }`,
  );
  await writeFile(machine.configPath, windowBench.replace('"components": [', `"components": [ ${boards.join(', ')},`));
  await expect.poll(async () => (await stub.shown()).at(-1)?.title).toBe('3 resources failed');
  const shown = await stub.shown();
  expect(new Set(shown.map(({ tag }) => tag)).size).toBe(1);
  expect(shown.at(-1)?.body).toMatch(/: a, b, c$/);
  await stub.click();
  await expect(page).toHaveURL(/#\/overview$/);
});

test('where the browser blocks notifications, the setting says what to do', async ({ page, machine }) => {
  await NotificationStub.install(page, 'default', 'denied');
  await page.goto('about:blank');
  await page.goto(machine.pageUrl);
  await new Shell(page).open('Settings');
  const wanted = page.getByRole('switch', { name: 'Tell me when something fails' });
  await wanted.click();
  await expect(page.getByText('The browser blocks notifications of this page.')).toBeVisible();
  await expect(wanted).toHaveAttribute('aria-checked', 'false');
});
