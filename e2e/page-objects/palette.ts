import type { Locator, Page } from '@playwright/test';

/** The command palette. */
export class Palette {
  readonly dialog: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.dialog = page.getByRole('dialog', { name: 'Commands' });
  }

  get search(): Locator {
    return this.dialog.getByRole('combobox');
  }

  get results(): Locator {
    return this.dialog.getByRole('option');
  }

  async open(): Promise<void> {
    await this.#page.keyboard.press('ControlOrMeta+k');
    await this.search.waitFor();
  }

  /** Opens it, types, and runs the first result. */
  async run(text: string): Promise<void> {
    await this.open();
    await this.#page.keyboard.type(text);
    await this.results.first().waitFor();
    await this.#page.keyboard.press('Enter');
    await this.dialog.waitFor({ state: 'hidden' });
  }
}

/** The list of shortcuts. */
export class ShortcutList {
  readonly dialog: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.dialog = page.getByRole('dialog', { name: 'Shortcuts' });
  }

  async open(): Promise<void> {
    await this.#page.keyboard.press('?');
    await this.dialog.waitFor();
  }

  /** The row of one command. */
  row(title: string): Locator {
    return this.dialog.getByRole('button', { name: `Change the keys of “${title}”` }).locator('..');
  }

  /** Changes the chord of a command, as a person does. */
  async change(title: string, chord: string): Promise<void> {
    await this.dialog.getByRole('button', { name: `Change the keys of “${title}”` }).click();
    await this.#page.keyboard.press(chord);
  }
}
