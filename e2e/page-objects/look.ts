import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { checkFit } from './fit.ts';

const folder = path.resolve(import.meta.dirname, '../screenshots');

/** A desk, a small laptop or tablet, and a phone. */
const sizes = [
  { name: '', width: 1440, height: 900 },
  { name: '-1024', width: 1024, height: 768 },
  { name: '-phone', width: 390, height: 844 },
] as const;

/** The rules that depend on colours. Nothing else changes with the theme: its tokens are colours. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/**
 * Checks what `selector` contains with axe, after all color transitions: axe measures the colors on the screen.
 * @param rules all that are on by default if undefined
 */
export async function checkAccess(page: Page, selector: string, name: string, rules?: string[]): Promise<void> {
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
  // There are no frames, so the result need not be put together in a page of its own.
  const axe = new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .include(selector)
    .setLegacyMode();
  const { violations } = await (rules === undefined ? axe : axe.withRules(rules)).analyze();
  expect
    .soft(
      violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`),
      name,
    )
    .toEqual([]);
}

/** Shows a theme by that of the system, as long as none was chosen: nothing is pressed for it. */
async function showTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  // A theme that the test chose before stays chosen.
  await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
}

/**
 * The one rule for every screen and dialog: at each width and in both themes axe finds nothing, it fits the window, and
 * a picture is saved for people to look at; git ignores them. Widths and themes change in place, without a new server.
 * The size that the test had is restored.
 */
export async function checkLook(page: Page, name: string): Promise<void> {
  const size = page.viewportSize();
  const before = await page.locator('html').getAttribute('data-theme');
  for (const { name: suffix, width, height } of sizes) {
    await page.setViewportSize({ width, height });
    for (const theme of ['light', 'dark'] as const) {
      await showTheme(page, theme);
      const where = `${name}, ${theme}, ${width} wide`;
      await checkAccess(page, 'body', where, theme === 'light' ? undefined : colourRules);
      if (theme === 'light') await checkFit(page, where);
      await keepPicture(page, `${name}${suffix}-${theme}`);
    }
  }
  await page.emulateMedia({ colorScheme: null });
  await page.evaluate(`document.documentElement.dataset.theme = '${before ?? 'light'}'`);
  if (size !== null) await page.setViewportSize(size);
}

export async function keepPicture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}
