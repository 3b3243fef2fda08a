import type { Page } from '@playwright/test';

/** Opens the window, and waits until it takes keys: the browser calls a page loaded before its program has begun. */
export async function openPage(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator('#app > *').first().waitFor({ state: 'attached' });
}
