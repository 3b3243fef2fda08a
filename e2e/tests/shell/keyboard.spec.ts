import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

/** What has the focus, by its accessible name as far as the shell's parts need it. */
const focused = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return '';
  return element.getAttribute('aria-label') ?? element.textContent.trim();
})()`;

test('Tab reaches everything of the shell in the order of the screen, and Enter operates it', async ({ page }) => {
  const shell = new Shell(page);
  await expect(shell.machine).toContainText('5 of 5 ready');
  const reached: string[] = [];
  for (let count = 0; count < 21; count += 1) {
    await page.keyboard.press('Tab');
    reached.push(String(await page.evaluate(focused)));
  }
  expect(reached).toEqual([
    'Skip to the content',
    expect.any(String),
    expect.stringContaining('Search or run a command'),
    expect.stringContaining('Stop all'),
    'Overview',
    'Configure',
    'Control',
    'Logs',
    'History',
    'Triggers',
    'Diagnostics',
    'Data',
    'Train',
    'Machines',
    'Registry',
    'Settings',
    'Light',
    'Dark',
    'System',
    'Comfortable',
    'Compact',
  ]);
  await page.keyboard.press('Enter');
  await expect(page.locator('html')).toHaveAttribute('data-density', 'compact');
  await shell.rail.getByRole('link', { name: 'Logs' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/logs/);
  await expect(shell.rail.getByRole('link', { name: 'Logs' })).toBeFocused();
});

test('the skip link leads past header and rail', async ({ page }) => {
  await expect(new Shell(page).machine).toContainText('5 of 5 ready');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(`document.querySelector('main').contains(document.activeElement)`)).toBe(true);
});

test('what has the focus shows it', async ({ page }) => {
  const shell = new Shell(page);
  await expect(shell.machine).toContainText('5 of 5 ready');
  for (let count = 0; count < 11; count += 1) {
    await page.keyboard.press('Tab');
    const outline = await page.evaluate(`(() => {
      const style = getComputedStyle(document.activeElement);
      return style.outlineStyle === 'none' ? 0 : Number.parseFloat(style.outlineWidth);
    })()`);
    expect(outline, String(await page.evaluate(focused))).toBeGreaterThanOrEqual(2);
  }
});
