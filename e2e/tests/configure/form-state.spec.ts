import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';

test.use({ config: windowBench });

test('the form says whether one is enabled, disables it, and takes that back without a trace', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  await configure.open('right');
  await expect(form.choice('State', 'Enabled')).toHaveAttribute('aria-pressed', 'true');
  await form.choice('State', 'Disabled').click();
  await expect(configure.form).toContainText('right stays in the file and does not run');
  await expect(configure.middle).toContainText('disabled when applied');
  await form.choice('State', 'Enabled').click();
  await expect(configure.bar).toContainText('Everything is applied');
});

test.describe('with a dependency that nothing has', () => {
  test.use({ config: windowBench.replace('"name": "right",', '"name": "right", "depends_on": ["gone"],') });

  test('a click on its problem leads to the field, not to the text', async ({ page }) => {
    const configure = new ConfigurePage(page);
    await configure.open('right');
    await configure.openProblems();
    await configure.problem(/gone/).click();
    await expect(new ResourceForm(page).pick('Add a dependency')).toBeFocused();
  });
});
