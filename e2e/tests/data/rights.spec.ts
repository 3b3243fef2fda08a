import { expect, test } from '@playwright/test';
import { CapturedData, roomReadings } from '../../harness/captured-data.ts';
import { HubClient, hubFolder, roleAt, startHub } from '../../harness/hub-process.ts';
import { pieceOnBelt } from '../../harness/picture.ts';
import { DataPage } from '../../page-objects/data.ts';

test.use({ ignoreHTTPSErrors: true });

test('at a hub alone an operator sees data and tags it, and is offered nothing that deletes', async ({ page }) => {
  test.slow();
  const { data: folder, remove } = await hubFolder();
  const hub = await startHub({ data: folder, args: ['--no-tls'] });
  const organizationId = hub.organizationId ?? '';
  const owner = await HubClient.logIn(hub.url, hub.ownerKey ?? { id: '', secret: '' });
  try {
    const { robots } = await owner.call('listRobotsForOrg', { orgId: organizationId });
    const { parts } = await owner.call('getRobotParts', { robotId: robots[0]?.id ?? '' });
    const captured = CapturedData.withKey(owner, parts[0]?.id ?? '');
    const operator = roleAt('organization_operator', organizationId);
    const key = await owner.call('createKey', { name: 'bench', authorizations: [operator] });

    await page.goto(hub.url);
    await page.getByRole('textbox', { name: 'Key id' }).fill(key.id);
    await page.getByLabel('Key', { exact: true }).fill(key.key);
    await page.keyboard.press('Enter');
    const data = new DataPage(page);
    await data.open();
    await expect(page.getByText('Nothing has been captured yet.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Choose a machine', exact: true }).last()).toBeVisible();

    await captured.readings(roomReadings(Date.now(), 5, 1_000));
    const id = await captured.picture(Date.now(), pieceOnBelt(1));
    await data.source(/climate/).click();
    await expect(data.rows).toHaveCount(5);
    await expect(data.pane.getByRole('button', { name: 'Export' })).toBeVisible();
    await expect(data.pane.getByRole('button', { name: 'Delete old readings' })).toHaveCount(0);
    await data.sources.getByRole('button', { name: 'Retention' }).click();
    await expect(data.dialog.getByText('Readings are kept for ever.')).toBeVisible();
    await expect(data.dialog.getByText('An owner of the organization can change this.')).toBeVisible();
    await expect(data.dialog.getByRole('button', { name: 'Save' })).toHaveCount(0);
    await page.keyboard.press('Escape');

    await data.source(/belt/).click();
    await data.tiles.first().click();
    await data.dialog.getByRole('textbox', { name: 'New tag' }).fill('seen');
    await page.keyboard.press('Enter');
    await expect(data.dialog.getByRole('list', { name: 'Tags' })).toContainText('seen');
    expect(await captured.tagsOf(id)).toEqual(['seen']);
    await expect(data.dialog.getByRole('button', { name: 'Delete' })).toHaveCount(0);
  } finally {
    owner.close();
    await hub.stop();
    await remove();
  }
});
