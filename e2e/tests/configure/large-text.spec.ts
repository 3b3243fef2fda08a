import { expect, test } from '../../fixtures/machine-test.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';

/** A text of 5 MB with 300 errors: what is found once for each error, or at each key, is felt here. */
const table = Array.from({ length: 400_000 }, (_, index) => index);
const wrong = Array.from({ length: 300 }, (_, index) => ({
  name: `withoutModel${index}`,
  api: 'core:component:generic',
}));
const large = JSON.stringify(
  {
    network: { bind_address: 'localhost:0' },
    components: [
      { name: 'first', api: 'core:component:generic', model: 'fake' },
      { name: 'table', api: 'core:component:generic', model: 'fake', disabled: true, attributes: { table } },
      ...wrong,
    ],
  },
  null,
  1,
);
test.use({ config: large });

test('a text of 5 MB with many errors is shown and typed in without the window hanging', async ({ page }) => {
  expect(large.length).toBeGreaterThan(4_500_000);
  const configure = new ConfigurePage(page);
  await expect(configure.problems).toContainText('300 errors', { timeout: 30_000 });
  await configure.open('first');
  await configure.openText();
  await expect(configure.problems).toContainText('and 100 more');
  await expect(configure.editor).toBeFocused();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('"notes": 1,');
  await expect(configure.problems).toContainText('300 errors, 1 warning', { timeout: 30_000 });
  await expect(configure.editor).toContainText('"notes": 1,');
});
