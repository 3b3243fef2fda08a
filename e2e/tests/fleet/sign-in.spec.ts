import { expect, test } from '@playwright/test';
import { HubClient, hubFolder, roleAt, startHub } from '../../harness/hub-process.ts';
import { FleetPage } from '../../page-objects/fleet.ts';
import { checkLook } from '../../page-objects/look.ts';
import { Palette } from '../../page-objects/palette.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ ignoreHTTPSErrors: true });

test('at a hub alone a key lets in, a wrong one does not and is told so; the tab keeps it until the key is revoked', async ({
  page,
}) => {
  test.slow();
  const { data, remove } = await hubFolder();
  const hub = await startHub({ data, args: ['--no-tls'] });
  const key = hub.ownerKey ?? { id: '', secret: '' };
  const owner = await HubClient.logIn(hub.url, key);
  try {
    const authorization = roleAt('organization_owner', hub.organizationId ?? '');
    const ana = await owner.call('createKey', { name: 'laptop of Ana', authorizations: [authorization] });

    await page.goto(hub.url);
    await expect(page.getByRole('heading', { name: 'Sign in to this hub' })).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'Key id' })).toBeFocused();
    await checkLook(page, 'sign-in');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Enter both the key id and the key.')).toBeVisible();
    await page.keyboard.type(ana.id);
    await page.keyboard.press('Tab');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await expect(page.getByText('The hub does not know this key')).toBeVisible();
    await page.getByLabel('Key', { exact: true }).fill(` ${ana.key}\n`);
    await page.keyboard.press('Enter');

    // A hub has no machine of its own: the page begins with the list, and nothing asks for one that is not there.
    await expect(page.getByRole('heading', { name: 'Machines', level: 1 })).toBeVisible();
    const shell = new Shell(page);
    await expect(shell.machine).toContainText('Choose a machine');
    await expect(shell.rail.getByRole('link')).toHaveText(['Data', 'Train', 'Machines', 'Registry', 'Settings']);
    await expect(new FleetPage(page).rows).toHaveCount(1);
    await page.reload();
    await expect(new FleetPage(page).rows).toHaveCount(1);

    await shell.open('Settings');
    await expect(page.getByText(/Signed in with the key “laptop of Ana”, which may do everything in/)).toBeVisible();
    await owner.call('deleteKey', { id: ana.id });
    await expect(page.getByText('Sign in again: the key was rotated or revoked')).toBeVisible({ timeout: 20_000 });

    await page.getByRole('textbox', { name: 'Key id' }).fill(key.id);
    await page.getByLabel('Key', { exact: true }).fill(key.secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByText(/Signed in with the key/)).toBeVisible();
    await new Palette(page).run('Sign out');
    await expect(page.getByRole('heading', { name: 'Sign in to this hub' })).toBeVisible();
  } finally {
    owner.close();
    await hub.stop();
    await remove();
  }
});
