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

  /** The browsers that stay signed in. */
  get browsers(): Locator {
    return this.page.getByRole('region', { name: 'Signed-in browsers' });
  }

  browser(text: string): Locator {
    return this.browsers.getByRole('listitem').filter({ hasText: text });
  }

  /** The row of one key. */
  key(name: string): Locator {
    return this.keys.getByRole('row').filter({ hasText: name });
  }

  /** Makes training jobs run on a cluster, with a folder that this computer and its nodes share. */
  async trainOnSlurm(settings: {
    readonly sharedFolder: string;
    readonly cores: number;
    readonly memoryMb: number;
  }): Promise<void> {
    const form = this.page.locator('form').filter({ has: this.page.getByText('Jobs run', { exact: true }) });
    await form.getByRole('button', { name: 'On a Slurm cluster' }).click();
    await form.getByRole('textbox', { name: 'Shared folder' }).fill(settings.sharedFolder);
    await form.getByRole('textbox', { name: 'CPU cores per job' }).fill(String(settings.cores));
    await form.getByRole('textbox', { name: 'Memory per job, MB' }).fill(String(settings.memoryMb));
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await form.getByText('Saved.', { exact: true }).waitFor();
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  async choose(key: string, action: 'Rotate' | 'Rename' | 'Copy its id' | 'Revoke'): Promise<void> {
    await this.page.getByRole('button', { name: `Actions for the key ${key}` }).click();
    await this.page.getByRole('menuitem', { name: action }).click();
  }

  /** The secret in the dialog, which is shown only once. */
  async secret(): Promise<string> {
    return this.dialog.getByRole('group', { name: 'Key', exact: true }).locator('pre').innerText();
  }
}
