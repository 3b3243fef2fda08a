import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ApplyBar } from '../../page-objects/apply-bar.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';

test.use({ config: windowBench.replace('"celsius": 21.5', '"celsius": 21.5, "is_calm": true') });

test('a maintenance window is made by form: the sensor from a list, the key from what it says now', async ({
  page,
  machine,
}) => {
  const [configure, form, apply] = [new ConfigurePage(page), new ResourceForm(page), new ApplyBar(page)];
  await configure.list.getByRole('link', { name: /^Machine-wide settings/ }).click();
  await form.button('Add window for updates').click();
  await form.choosePicked('Sensor', 'climate');
  const key = form.pick('Reading that allows it');
  await key.click();
  await expect(page.getByRole('option').first()).toHaveText(/is_calm.*is true now/);
  await expect(page.getByRole('option', { name: 'celsius' })).toContainText('neither true nor false');
  await page.getByRole('option', { name: 'celsius' }).click();
  await expect(form.around('Reading that allows it')).toContainText('Now it is 21.5: updates wait.');
  // By keyboard, by typing.
  await key.focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('is_calm');
  await page.keyboard.press('Enter');
  await expect(form.around('Reading that allows it')).toContainText('Now it is true: maintenance is allowed.');
  await checkLook(page, 'maintenance-form');
  await apply.applyButton.click();
  await expect(apply.bar).toContainText('Applied.');
  expect(JSON.parse(await readFile(machine.configPath, 'utf8'))).toMatchObject({
    maintenance: { sensor_name: 'core:component:sensor/climate', maintenance_allowed_key: 'is_calm' },
  });
});
