import type { Locator, Page } from '@playwright/test';
import { RegistryPage } from './registry.ts';

/** A model file to upload. */
export interface ModelFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** One label per line. */
  readonly labels?: string;
  readonly version: string;
}

/** The models on the Registry screen, and the dialog that deploys one. */
export class ModelShelf {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(): Promise<void> {
    await new RegistryPage(this.page).show('Models');
    await this.uploadButton.waitFor();
  }

  get uploadButton(): Locator {
    return this.page.getByRole('button', { name: 'Upload a model' });
  }

  async upload({ name, bytes, labels, version }: ModelFile): Promise<void> {
    await this.uploadButton.click();
    const dialog = this.page.getByRole('dialog', { name: 'Upload a model' });
    const file = { name: `${name}.onnx`, mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) };
    await dialog.getByLabel('Model file').setInputFiles(file);
    if (labels !== undefined) {
      const buffer = Buffer.from(labels);
      await dialog.getByLabel(/^Labels file/).setInputFiles({ name: 'labels.txt', mimeType: 'text/plain', buffer });
    }
    await dialog.getByRole('textbox', { name: 'Version' }).fill(version);
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    await this.deployButton(name, version).waitFor();
  }

  deployButton(name: string, version: string): Locator {
    return this.page.getByRole('button', { name: `Deploy ${name} ${version}`, exact: true });
  }

  async deploy(name: string, version: string): Promise<DeployDialog> {
    await this.deployButton(name, version).click();
    const dialog = new DeployDialog(this.page.getByRole('dialog', { name: `Deploy ${name} ${version}` }));
    await dialog.dialog.waitFor();
    return dialog;
  }
}

/** The dialog that adds a model to the draft. */
export class DeployDialog {
  readonly dialog: Locator;

  constructor(dialog: Locator) {
    this.dialog = dialog;
  }

  field(name: 'Package name' | 'Service that runs the model' | 'Vision service'): Locator {
    return this.dialog.getByRole('textbox', { name });
  }

  get camera(): Locator {
    return this.dialog.getByRole('combobox', { name: 'Camera' });
  }

  /** The changes to the draft, one per line. */
  get changes(): Locator {
    return this.dialog.getByRole('region', { name: 'In the draft' }).getByRole('listitem');
  }

  get plan(): Locator {
    return this.dialog.getByRole('region', { name: 'What applying the draft will do' });
  }

  /** The choice if the model is there already: another version, or a second copy. */
  choice(name: RegExp): Locator {
    return this.dialog.getByRole('radio', { name });
  }

  get add(): Locator {
    return this.dialog.getByRole('button', { name: /^(Add to|Change in) draft$/ });
  }
}
