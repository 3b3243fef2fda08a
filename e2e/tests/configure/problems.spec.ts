import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';

test.use({ config: windowBench });

const wrong = windowBench.replace('"ticks_per_rotation": 200\n', '"ticks_per_rotation": "many"\n');
const wrongLine = wrong.slice(0, wrong.indexOf('"many"')).split('\n').length;

test(
  'a wrong value is marked at its line, listed with its line, and a click goes there',
  { tag: '@smoke' },
  async ({ page }) => {
    const configure = new ConfigurePage(page);
    await configure.replaceText(wrong);
    await expect(configure.problem(/ticks_per_rotation/)).toContainText(`line ${wrongLine}`);
    await expect(configure.resource('left')).toContainText('1 problem');
    await configure.problem(/ticks_per_rotation/).click();
    await expect(configure.editor).toBeFocused();
    await expect(configure.underlined).toHaveText('"many"');
    await expect(configure.gutterMarks).toHaveCount(1);
  },
);

test('a text with an error is not applied: Apply says why and leads to the place', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.replaceText(wrong);
  await expect(configure.bar).toContainText('Fix this to apply');
  await expect(configure.reviewButton).toHaveAttribute('aria-disabled', 'true');
  // Playwright does not click what says it is disabled; a person can.
  await configure.reviewButton.click({ force: true });
  await expect(configure.plan).toBeHidden();
  await expect(configure.underlined).toHaveText('"many"');
});

test('broken JSON is marked, and everything comes back when it parses again', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.replaceText(windowBench.replace('"model": "fake",', '"model": "fake"'));
  await expect(configure.problems).toContainText('1 error');
  await configure.replaceText(windowBench);
  await expect(configure.problems).toContainText('No problems');
  await expect(configure.bar).toContainText('Everything is applied');
});

test('the list of problems and the bar are one surface; Escape closes the list and leaves the focus on its line', async ({
  page,
}) => {
  const configure = new ConfigurePage(page);
  await configure.replaceText(wrong);
  await expect(configure.problem(/ticks_per_rotation/)).toBeVisible();
  await page.getByRole('button', { name: 'Form', exact: true }).click();
  const line = configure.problems.locator('button[aria-expanded]');
  await expect(line).toHaveAttribute('aria-expanded', 'false');
  await configure.openProblems();
  await checkLook(page, 'configure-problems');
  const [list, bar] = [await configure.problems.boundingBox(), await configure.bar.boundingBox()];
  if (list === null || bar === null) throw new Error('it is not on the screen');
  expect(list).toMatchObject({ x: bar.x, width: bar.width });
  // The line between them belongs to the bar.
  expect(list.y + list.height).toBeCloseTo(bar.y, 0);
  await configure.problem(/ticks_per_rotation/).focus();
  await page.keyboard.press('Escape');
  await expect(line).toHaveAttribute('aria-expanded', 'false');
  await expect(line).toBeFocused();
});
