import type { Locator, Page } from '@playwright/test';

/** The Logs screen. */
export class LogsPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get list(): Locator {
    return this.page.getByRole('log', { name: 'Log lines' });
  }

  get pauseButton(): Locator {
    return this.page.getByRole('button', { name: /^(Pause|Resume)$/ });
  }

  async showLevel(level: 'debug' | 'info' | 'warn' | 'error'): Promise<void> {
    await this.page.getByRole('group', { name: 'Level' }).getByRole('button', { name: level, exact: true }).click();
  }
}
