import type { Locator, Page } from '@playwright/test';

/** The Settings screen. */
export class SettingsPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get keys(): Locator {
    return this.page.getByRole('region', { name: 'API keys' });
  }

  /** The row of one key. */
  key(name: string): Locator {
    return this.keys.getByRole('row').filter({ hasText: name });
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  async choose(key: string, action: 'Rotate' | 'Rename' | 'Copy its id' | 'Revoke'): Promise<void> {
    await this.page.getByRole('button', { name: `Actions for the key ${key}` }).click();
    await this.page.getByRole('menuitem', { name: action }).click();
  }

  /** The secret that is shown now, and never again. */
  async secret(): Promise<string> {
    return this.dialog.getByRole('group', { name: 'Key', exact: true }).locator('pre').innerText();
  }
}
