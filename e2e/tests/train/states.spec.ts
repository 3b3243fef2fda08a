import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { windowBench } from '../../fixtures/window-bench.ts';
import { HubClient, hubFolder, roleAt, startHub } from '../../harness/hub-process.ts';
import { startServer } from '../../harness/server-process.ts';
import { Shell } from '../../page-objects/shell.ts';
import { TrainPage } from '../../page-objects/train-page.ts';

test.use({ ignoreHTTPSErrors: true });

test('without a hub there is no way to the screen, and its address says why', async ({ page }) => {
  const home = await mkdtemp(path.join(os.tmpdir(), 'armature-train-'));
  const machine = await startServer({ config: windowBench, home, args: ['-hub=false'] });
  try {
    await page.goto(machine.pageUrl);
    const shell = new Shell(page);
    await expect(shell.rail.getByRole('link', { name: 'Data' })).toBeVisible();
    await expect(shell.rail.getByRole('link', { name: 'Train' })).toHaveCount(0);
    await page.evaluate(`location.hash = '#/train'`);
    await expect(page.getByText('This machine runs without a hub, so it cannot train models.')).toBeVisible();
    await expect(page.getByText('Start the server without “-hub=false”')).toBeVisible();
  } finally {
    await machine.stop();
    await rm(home, { recursive: true, force: true });
  }
});

test('an operator is told that only owners train, and is offered nothing', async ({ page }) => {
  test.slow();
  const { data, remove } = await hubFolder();
  const hub = await startHub({ data, args: ['--no-tls'] });
  const owner = await HubClient.logIn(hub.url, hub.ownerKey ?? { id: '', secret: '' });
  try {
    const operator = roleAt('organization_operator', hub.organizationId ?? '');
    const key = await owner.call('createKey', { name: 'bench', authorizations: [operator] });
    await page.goto(hub.url);
    await page.getByRole('textbox', { name: 'Key id' }).fill(key.id);
    await page.getByLabel('Key', { exact: true }).fill(key.key);
    await page.keyboard.press('Enter');
    await new Shell(page).open('Train');
    await expect(
      page.getByText('Your key does not allow training. Only owners of an organization can train models.'),
    ).toBeVisible();
    await expect(page.getByRole('button', { name: 'New job' })).toHaveCount(0);
  } finally {
    owner.close();
    await hub.stop();
    await remove();
  }
});

test('a server that starts no programs says so before anybody submits, and an unknown job is told to be gone', async ({
  page,
}) => {
  const machine = await startServer({ config: windowBench, args: ['-untrusted-env'] });
  try {
    await page.goto(machine.pageUrl);
    const train = new TrainPage(page);
    await train.open();
    await expect(train.side.getByText(/No job can run now\. .*-untrusted-env/)).toBeVisible();
    await page.evaluate(`location.hash = '#/train/no-such-job'`);
    await expect(page.getByText('This job no longer exists, or you do not have access to it.')).toBeVisible();
  } finally {
    await machine.stop();
  }
});
