import type { Locator, Page } from '@playwright/test';

/** How a driver board is wired to the pins of a motor: its choice, picture, table and warnings. */
export class DriverWiring {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get board(): Locator {
    return this.page.locator('form').getByRole('combobox', { name: 'Driver board' });
  }

  async choose(board: string): Promise<void> {
    await this.board.click();
    await this.page.getByRole('option', { name: board }).click();
  }

  get shown(): Locator {
    return this.page.getByRole('region', { name: /^Wiring of / });
  }

  /** A line of the table, by its words: `Board pin, driver, field`. */
  row(name: RegExp | string): Locator {
    return this.shown.getByRole('row', { name });
  }

  get warnings(): Locator {
    return this.shown.getByRole('status');
  }

  /** A wire of the picture. The picture is not in the accessible tree: the table says the same. */
  wire(key: string): Locator {
    return this.shown.locator(`svg [data-wire="${key}"]`);
  }

  goTo(label: string): Locator {
    return this.shown.getByRole('button', { name: `Go to ${label}`, exact: true });
  }
}
