import type { Download, Locator, Page } from '@playwright/test';

/** The card of a camera on the Control screen. */
export class CameraCard {
  readonly card: Locator;
  readonly #page: Page;

  constructor(page: Page, name: string) {
    this.#page = page;
    this.card = page.getByRole('article', { name, exact: true });
  }

  get picture(): Locator {
    return this.card.getByRole('img', { name: /^Picture of / });
  }

  get source(): Locator {
    return this.card.getByRole('combobox', { name: 'Source' });
  }

  get problem(): Locator {
    return this.card.getByRole('status').first();
  }

  pace(name: 'Pause' | '1/s' | '5/s' | '15/s'): Locator {
    return this.card.getByRole('group', { name: 'Pictures per second' }).getByRole('button', { name, exact: true });
  }

  /** Whether the picture is live, paused or old. */
  get state(): Locator {
    return this.card.locator('header .chip');
  }

  /** Address of the shown picture: each picture has a different one. */
  async address(): Promise<string> {
    return (await this.picture.getAttribute('src')) ?? '';
  }

  async save(): Promise<Download> {
    const [download] = await Promise.all([
      this.#page.waitForEvent('download'),
      this.card.getByRole('button', { name: 'Save picture' }).click(),
    ]);
    return download;
  }
}
