import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('a motor whose changes are not applied cannot be moved, the others can; discarding frees it', async ({ page }) => {
  const shell = new Shell(page);
  const configure = new ConfigurePage(page);
  const control = new ControlPage(page);
  await configure.open('right');
  await new ResourceForm(page).field('Highest power').fill('0.5');
  await shell.open('Control');
  await control.enable();
  await expect(control.motor('left').forward).toBeEnabled();
  await expect(control.motor('right').forward).toBeDisabled();
  await expect(control.card('right')).toContainText('changes that are not applied');
  await shell.open('Configure');
  await configure.bar.getByRole('button', { name: 'Discard' }).click();
  await configure.dialog('Discard your changes?').getByRole('button', { name: 'Discard' }).click();
  await shell.open('Control');
  await control.enable();
  await expect(control.motor('right').forward).toBeEnabled();
});
