import type { Locator, Page } from '@playwright/test';
import { Shell } from './shell.ts';

/** The Diagnostics screen: what the machine recorded about itself. */
export class DiagnosticsScreen {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(): Promise<void> {
    await new Shell(this.page).open('Diagnostics');
    await this.page.getByRole('heading', { name: 'Diagnostics', level: 1 }).waitFor();
  }

  get plots(): Locator {
    return this.page.getByRole('group', { name: 'Plots' }).getByRole('figure');
  }

  plot(title: string): Locator {
    return this.page.getByRole('figure', { name: title, exact: true });
  }

  /** The drawing of a plot; it takes the keyboard focus. */
  picture(title: string): Locator {
    return this.plot(title).getByRole('img');
  }

  get live(): Locator {
    return this.page.getByText('live', { exact: true });
  }

  async range(name: 'Last 10 min' | 'Last hour' | 'Last 24 h'): Promise<void> {
    await this.page.getByRole('group', { name: 'Time', exact: true }).getByRole('button', { name }).click();
  }

  /** Adds a metric by a part of its name. */
  async add(text: string): Promise<void> {
    await this.page.getByRole('combobox', { name: 'Add a metric' }).fill(text);
    await this.page.getByRole('option').first().click();
  }

  async remove(title: string): Promise<void> {
    await this.plot(title)
      .getByRole('button', { name: `Remove ${title}` })
      .click();
  }

  get export(): Locator {
    return this.page.getByRole('button', { name: 'Export as CSV' });
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog', { name: 'Support bundle' });
  }
}
