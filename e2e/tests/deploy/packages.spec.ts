import { expect, test } from '../../fixtures/machine-test.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';

test.use({
  config: JSON.stringify({
    network: { bind_address: 'localhost:0' },
    services: [
      {
        name: 'net',
        api: 'rdk:service:mlmodel',
        model: 'onnx_cpu',
        attributes: { model_path: '${packages.ml_model.ghost}/ghost.onnx' },
      },
    ],
    packages: [{ name: 'ghost', package: 'org-1/ghost', type: 'ml_model', version: 'latest' }],
  }),
});

test('a package that is not there says why, who needs it, and is tried again by the keyboard', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const link = configure.list.getByRole('link', { name: /^Packages 1/ });
  await expect(link).toContainText('1 failed');
  await link.focus();
  await page.keyboard.press('Enter');
  await expect(configure.heading('Packages')).toBeVisible();
  const line = page.getByRole('list', { name: 'Packages' }).getByRole('listitem');
  await expect(line).toContainText('failed');
  await expect(line).toContainText('org-1/ghost');
  await expect(line.getByRole('link', { name: 'net' })).toBeVisible();
  const retry = line.getByRole('button', { name: 'Retry ghost' });
  await retry.focus();
  await page.keyboard.press('Enter');
  await expect(retry).toBeVisible();
  await expect(line).not.toContainText('Could not retry');
  await checkLook(page, 'configure-packages');
});

test('entries are edited by their form, and what is wrong with one leads there', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.list.getByRole('link', { name: /^Packages/ }).click();
  const card = configure.form.getByRole('group', { name: 'Packages' });
  await card.getByRole('textbox', { name: 'Version' }).fill('1.0.0');
  const line = page.getByRole('list', { name: 'Packages' }).getByRole('listitem');
  await expect(line).toContainText('changed');
  await card.getByRole('textbox', { name: 'Package' }).fill('ghost');
  await configure.openProblems();
  await configure.problem(/is not the id of a package/).click();
  await expect(card.getByRole('textbox', { name: 'Package' })).toBeFocused();
});
