import type { Locator, Page } from '@playwright/test';
import { RegistryPage } from './registry.ts';

/** An archive with a training script to upload. */
export interface ScriptFile {
  /** Name of the file with its extension. */
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly version: string;
}

/** The training scripts on the Registry screen. */
export class ScriptShelf {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(): Promise<void> {
    await new RegistryPage(this.page).show('Training scripts');
    await this.uploadButton.waitFor();
  }

  get uploadButton(): Locator {
    return this.page.getByRole('button', { name: 'Upload a script' });
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  /** Fills in the dialog without sending it. */
  async fill({ file, bytes, version }: ScriptFile): Promise<void> {
    await this.uploadButton.click();
    const chosen = { name: file, mimeType: 'application/gzip', buffer: Buffer.from(bytes) };
    await this.dialog.getByLabel('Archive with the script').setInputFiles(chosen);
    await this.dialog.getByRole('textbox', { name: 'Version' }).fill(version);
  }

  async send(file: ScriptFile): Promise<void> {
    await this.fill(file);
    await this.dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  }

  versions(name: string): Locator {
    return this.page
      .getByRole('table', { name: `Versions of ${name}` })
      .getByRole('row')
      .filter({
        has: this.page.getByRole('rowheader'),
      });
  }

  trainWith(name: string, version: string): Locator {
    return this.page.getByRole('link', { name: `Train with ${name} ${version}`, exact: true });
  }

  deleteButton(name: string, version: string): Locator {
    return this.page.getByRole('button', { name: `Delete ${name} ${version}`, exact: true });
  }
}
