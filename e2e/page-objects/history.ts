import type { Locator, Page } from '@playwright/test';
import { openPage } from './open-page.ts';

/** The History screen: the list of versions, and beside it the open one, compared with another. */
export class HistoryPage {
  readonly page: Page;
  readonly #pageUrl: string;

  /** @param pageUrl address of the machine's page, with its token */
  constructor(page: Page, pageUrl: string) {
    this.page = page;
    this.#pageUrl = pageUrl;
  }

  /** Opens the window and this screen. */
  async open(): Promise<void> {
    await openPage(this.page, this.#pageUrl);
    await this.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'History' }).click();
  }

  /** The list; only versions near the visible part are in the page. */
  get list(): Locator {
    return this.page.getByRole('grid', { name: 'Versions' });
  }

  /** The rows in the page, without the header. */
  get rows(): Locator {
    return this.list.getByRole('row').filter({ hasNot: this.page.getByRole('columnheader') });
  }

  /** The row of a version. */
  row(number: number): Locator {
    return this.rows.filter({
      has: this.page.getByRole('gridcell', { name: String(number), exact: true }),
    });
  }

  /** Opens a version beside the list. */
  async choose(number: number): Promise<void> {
    await this.row(number).getByRole('gridcell').first().click();
    await this.pane(number).waitFor();
  }

  /** The pane beside the list; without a number, of any version. */
  pane(number?: number): Locator {
    return this.page.getByRole('region', {
      name: number === undefined ? /^Version \d+$/ : `Version ${number}`,
      exact: true,
    });
  }

  get other(): Locator {
    return this.pane().getByRole('combobox', { name: 'Compared with' });
  }

  /** Compares the open version with what a person types: `draft`, `3`. */
  async compareWith(words: string): Promise<void> {
    await this.other.click();
    await this.other.fill(words);
    await this.page.keyboard.press('Enter');
  }

  /** A resource, module or setting that differs. */
  difference(name: string): Locator {
    return this.pane()
      .getByRole('listitem')
      .filter({ has: this.page.getByText(name, { exact: true }) });
  }

  async showView(view: 'By resource' | 'Text'): Promise<void> {
    await this.pane().getByRole('group', { name: 'Comparison' }).getByRole('button', { name: view }).click();
  }

  async showColumns(columns: 'One column' | 'Side by side'): Promise<void> {
    await this.pane().getByRole('group', { name: 'Columns' }).getByRole('button', { name: columns }).click();
  }

  get textDiff(): Locator {
    return this.pane().getByRole('group', { name: 'The texts, line by line' });
  }

  /** What restoring the open version would do, and how it went. */
  get restoreCard(): Locator {
    return this.pane().getByRole('region', { name: 'Restore' });
  }

  get restoreButton(): Locator {
    return this.restoreCard.getByRole('button', { name: /^(Stop and restore|Restore) \d+$|^Restoring$/ });
  }

  get draftButton(): Locator {
    return this.restoreCard.getByRole('button', { name: 'Open as draft' });
  }

  get tagButton(): Locator {
    return this.restoreCard.getByRole('button', { name: 'Tag', exact: true });
  }

  /** The form for tag and note of the open version. */
  get words(): Locator {
    return this.restoreCard.getByRole('form', { name: /^Tag and note of/ });
  }

  get search(): Locator {
    return this.page.getByRole('textbox', { name: /^Find versions/ });
  }

  get onlyTagged(): Locator {
    return this.page.getByRole('button', { name: 'Only tagged' });
  }

  /** How many versions there are, or were found. */
  get count(): Locator {
    return this.page.getByRole('status').filter({ hasText: /versions?( found)?$/ });
  }

  get newButton(): Locator {
    return this.page.getByRole('button', { name: /^Show \d+ new versions?$/ });
  }

  /** Numbers of the versions in the page, from top to bottom. */
  async shownNumbers(): Promise<number[]> {
    return this.page.evaluate<number[]>(`
      [...document.querySelectorAll('[role=grid] [role=row]:not(:has([role=columnheader]))')]
        .map((row) => ({
          top: row.getBoundingClientRect().top,
          number: Number(row.querySelector('[role=gridcell]')?.textContent),
        }))
        .filter(({ number }) => number > 0)
        .sort((one, other) => one.top - other.top)
        .map(({ number }) => number)
    `);
  }
}
