import { expect, test } from '../../fixtures/fleet-test.ts';
import { FleetPage } from '../../page-objects/fleet.ts';

test('a machine is renamed, moved, and deleted once its name is typed', async ({ page, fleet }) => {
  const machines = new FleetPage(page);
  const lab = await fleet.addLocation('Lab 2');
  await fleet.addLocation('Hall 3');
  await fleet.addMachine('saw', lab);
  const { partId } = await fleet.addMachine('press', lab);
  await fleet.configure(partId, '{"components": []}');
  await machines.open();

  await machines.choose('press', 'Rename');
  await machines.dialog.getByRole('textbox', { name: 'New name' }).fill('saw');
  await machines.dialog.getByRole('button', { name: 'Rename' }).click();
  // The hub says why not, and what was typed is still there.
  await expect(machines.dialog.getByText(/^Not renamed: .*saw/)).toBeVisible();
  await machines.dialog.getByRole('textbox', { name: 'New name' }).fill('press-left');
  await page.keyboard.press('Enter');
  await expect(machines.row('press-left')).toBeVisible();

  await machines.choose('press-left', 'Move to another location');
  const location = machines.dialog.getByRole('combobox', { name: 'Location' });
  await location.fill('Hall');
  await location.press('Enter');
  await machines.dialog.getByRole('button', { name: 'Move' }).click();
  await expect(machines.row('press-left')).toContainText('Hall 3');

  await machines.choose('press-left', 'Delete');
  await expect(machines.dialog).toContainText('Its one version in History, its logs');
  const remove = machines.dialog.getByRole('button', { name: 'Delete permanently' });
  await expect(remove).toBeDisabled();
  await machines.dialog.getByRole('textbox').fill('press');
  await expect(remove).toBeDisabled();
  await machines.dialog.getByRole('textbox').fill('press-left');
  await remove.click();
  await expect(machines.row('press-left')).toHaveCount(0);
  await expect(machines.row('saw')).toBeVisible();
});

test('locations are made, renamed, and deleted where nothing is in them', async ({ page, fleet }) => {
  const machines = new FleetPage(page);
  await fleet.addMachine('saw', await fleet.addLocation('Lab 2'));
  await machines.open();
  await page.getByRole('button', { name: 'Locations' }).click();
  await machines.dialog.getByRole('textbox', { name: 'New location' }).fill('Hall 3');
  await page.keyboard.press('Enter');
  await expect(machines.dialog.getByText('Hall 3')).toBeVisible();
  await expect(machines.dialog.getByRole('button', { name: 'Delete Lab 2' })).toHaveCount(0);
  await machines.dialog.getByRole('button', { name: 'Delete Hall 3' }).click();
  await expect(machines.dialog.getByText('Hall 3')).toHaveCount(0);
  await machines.dialog.getByRole('button', { name: 'Rename Lab 2' }).click();
  await machines.dialog.getByRole('textbox', { name: 'Name of Lab 2' }).fill('Lab two');
  await page.keyboard.press('Enter');
  await expect(machines.dialog.getByText('Lab two')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(machines.row('saw')).toContainText('Lab two');
});
