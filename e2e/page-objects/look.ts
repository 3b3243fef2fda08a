import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { Shell } from './shell.ts';

const folder = path.resolve(import.meta.dirname, '../screenshots');

/** Checks what `selector` contains with axe, after all color transitions: axe measures the colors on the screen. */
export async function checkAccess(page: Page, selector: string, name: string): Promise<void> {
  // The promise of a canceled or replaced animation rejects: the next round finds its replacement.
  await page.evaluate(`(async () => {
    const fading = () =>
      document
        .getAnimations()
        .filter((one) => one.playState === 'running' && Number.isFinite(one.effect.getComputedTiming().endTime));
    for (let some = fading(); some.length > 0; some = fading()) {
      await Promise.allSettled(some.map((one) => one.finished));
    }
  })()`);
  const { violations } = await new AxeBuilder({ page }).include(selector).analyze();
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`),
    name,
  ).toEqual([]);
}

/** Checks a screen with axe in both themes and saves a picture of each, for people to look at; git ignores them. */
export async function checkLook(page: Page, name: string): Promise<void> {
  const shell = new Shell(page);
  for (const theme of ['Light', 'Dark'] as const) {
    await shell.chooseTheme(theme);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme.toLowerCase());
    await checkAccess(page, 'body', `${name}, ${theme}`);
    await keepPicture(page, `${name}-${theme.toLowerCase()}`);
  }
}

/** Does the same for an open dialog, from which no button of the page can be reached. */
export async function checkDialogLook(page: Page, name: string): Promise<void> {
  const before = await page.locator('html').getAttribute('data-theme');
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    await checkAccess(page, 'body', `${name}, ${theme}`);
    await keepPicture(page, `${name}-${theme}`);
  }
  await page.evaluate(`document.documentElement.dataset.theme = '${before ?? 'light'}'`);
}

export async function keepPicture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}
