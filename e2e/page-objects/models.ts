import { expect, type Locator, type Page } from '@playwright/test';
import { RegistryPage } from './registry.ts';

/** A model file to upload as a person does. */
export interface UploadedModel {
  readonly name: string;
  readonly file: Uint8Array;
  readonly labels: readonly string[];
  /** As the list of types names it. */
  readonly type?: 'classification, one label' | 'classification, several labels' | 'object detection';
}

/** The models on the Registry screen. */
export class ModelShelf {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(): Promise<void> {
    await new RegistryPage(this.page).open();
    await this.page.getByRole('button', { name: 'Models', exact: true }).click();
  }

  async upload({ name, file, labels, type }: UploadedModel): Promise<void> {
    await this.page.getByRole('button', { name: 'Upload a model' }).click();
    const dialog = this.page.getByRole('dialog');
    const model = { name: `${name}.onnx`, mimeType: 'application/octet-stream', buffer: Buffer.from(file) };
    await dialog.getByLabel('Model file').setInputFiles(model);
    const text = Buffer.from(`${labels.join('\n')}\n`);
    await dialog
      .getByLabel('Labels file (optional)')
      .setInputFiles({ name: 'labels.txt', mimeType: 'text/plain', buffer: text });
    if (type !== undefined) {
      await dialog.getByRole('combobox', { name: 'Type of model' }).fill(type);
      await this.page.keyboard.press('Enter');
    }
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    await expect(dialog).toHaveCount(0);
    await expect(this.table(name)).toBeVisible();
  }

  table(name: string): Locator {
    return this.page.getByRole('table', { name: `Versions of ${name}` });
  }

  /** Opens the test of a version on stored pictures. */
  async test(name: string, version: string): Promise<ModelTestPage> {
    await this.page.getByRole('link', { name: `Test ${name} ${version} on pictures` }).click();
    return new ModelTestPage(this.page);
  }
}

/** The test of a classifier on stored pictures. */
export class ModelTestPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get screen(): Locator {
    return this.page.getByRole('region', { name: /^Test .* on pictures$/ });
  }

  get pictures(): Locator {
    return this.screen.getByRole('combobox', { name: 'Pictures' });
  }

  get start(): Locator {
    return this.screen.getByRole('button', { name: 'Test', exact: true });
  }

  /** The pictures, each with the model's answer. */
  get tiles(): Locator {
    return this.screen.getByRole('list', { name: 'Pictures with the model’s answers' }).getByRole('listitem');
  }

  async show(kind: 'All' | 'Wrong' | 'Right' | 'Unlabelled' | 'Not read'): Promise<void> {
    await this.screen.getByRole('group', { name: 'Show' }).getByRole('button', { name: kind, exact: true }).click();
  }
}
