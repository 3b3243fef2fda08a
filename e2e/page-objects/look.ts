import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { Shell } from './shell.ts';

const folder = path.resolve(import.meta.dirname, '../screenshots');

/** Checks what `selector` holds with axe, once no colour is fading any more: axe measures what is on the screen. */
export async function checkAccess(page: Page, selector: string, name: string): Promise<void> {
  // One whose element goes, or that another replaces, is rejected: the next look finds what took its place.
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

/** Checks a screen with axe and keeps a picture of it, in both themes. The pictures are for people; git ignores them. */
export async function checkLook(page: Page, name: string): Promise<void> {
  const shell = new Shell(page);
  for (const theme of ['Light', 'Dark'] as const) {
    await shell.chooseTheme(theme);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme.toLowerCase());
    await checkAccess(page, 'body', `${name}, ${theme}`);
    await keepPicture(page, `${name}-${theme.toLowerCase()}`);
  }
}

/** The same of an open dialog, from which no button of the page can be reached. */
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
