import { writeFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { startServer } from '../../harness/server-process.ts';
import { keepPicture } from '../../page-objects/look.ts';
import { SettingsPage } from '../../page-objects/settings.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('a browser stays signed in when the server is killed and started again: open tab, bookmark, new tab', async ({
  page,
  machine,
  context,
}) => {
  const shell = new Shell(page);
  await expect(shell.machine).toContainText('5 of 5 ready');
  await shell.open('Settings');
  await expect(new SettingsPage(page).browser('this one')).toContainText('Chrome on Linux');
  await keepPicture(page, 'signed-in-browsers');
  await machine.crash();
  const again = page.getByRole('button', { name: 'Try now' });
  await expect(again).toBeVisible();
  await writeFile(machine.configPath, windowBench.replace('localhost:0', `localhost:${machine.port}`));
  const next = await startServer({ config: '', home: machine.home });
  try {
    expect(next.token).not.toBe(machine.token);
    await expect(again).toBeHidden();
    await expect(shell.machine).toContainText('5 of 5 ready');
    await page.reload();
    await expect(shell.machine).toContainText('5 of 5 ready');
    const bookmark = await context.newPage();
    await bookmark.goto(`${next.url}/#/logs`);
    await expect(new Shell(bookmark).machine).toContainText('5 of 5 ready');
    await expect(bookmark.getByRole('heading', { name: 'Logs' })).toBeVisible();
  } finally {
    await next.stop();
  }
});

test('a browser that is signed out loses its pages at once; another one keeps its own', async ({
  page,
  machine,
  browser,
}) => {
  const shell = new Shell(page);
  await expect(shell.machine).toContainText('5 of 5 ready');
  const otherContext = await browser.newContext();
  const other = await otherContext.newPage();
  await other.goto(machine.pageUrl);
  await new Shell(other).open('Settings');
  const rows = new SettingsPage(other).browsers.getByRole('listitem');
  await expect(rows).toHaveCount(2);
  await rows.filter({ hasNotText: 'this one' }).getByRole('button', { name: 'Sign out Chrome on Linux' }).click();
  await expect(rows).toHaveCount(1);
  await expect(page.getByText('This page needs a new key')).toBeVisible();
  await page.reload();
  await expect(page.getByText('This page needs a new key')).toBeVisible();
  await other.reload();
  await expect(new Shell(other).machine).toContainText('5 of 5 ready');
  await rows.getByRole('button', { name: 'Sign out Chrome on Linux' }).click();
  await expect(other.getByText('This page needs a new key')).toBeVisible();
  await otherContext.close();
});
