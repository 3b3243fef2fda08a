import type { Locator, Page } from '@playwright/test';

/** The hardware of the computer, above the form of a board. */
export class ComputerPanel {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get panel(): Locator {
    return this.page.getByRole('region', { name: 'Hardware of this computer' });
  }

  get toggle(): Locator {
    return this.panel.getByRole('button', { name: 'Hardware of this computer' });
  }

  get filter(): Locator {
    return this.panel.getByRole('searchbox', { name: 'Find a line, chip or bus' });
  }

  get refresh(): Locator {
    return this.panel.getByRole('button', { name: 'Refresh' });
  }

  get list(): Locator {
    return this.panel.getByRole('grid', { name: 'Chips, lines and buses' });
  }

  /** The row of a chip, a device or a line, by its text. */
  row(text: string | RegExp): Locator {
    return this.list.getByRole('row').filter({ hasText: text });
  }

  button(name: string): Locator {
    return this.list.getByRole('button', { name, exact: true });
  }

  /** What is missing or not permitted. */
  get problems(): Locator {
    return this.panel.getByRole('listitem');
  }

  async open(): Promise<void> {
    if ((await this.toggle.getAttribute('aria-expanded')) === 'false') await this.toggle.click();
  }
}
