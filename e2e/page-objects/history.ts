import type { Locator, Page } from '@playwright/test';

/** The History screen: the versions, one of them open beside, compared with another. */
export class HistoryPage {
  readonly page: Page;
  readonly #pageUrl: string;

  /** @param pageUrl address of the machine's page, with its token */
  constructor(page: Page, pageUrl: string) {
    this.page = page;
    this.#pageUrl = pageUrl;
  }

  /** Opens the window, and this screen in it. */
  async open(): Promise<void> {
    await this.page.goto(this.#pageUrl);
    await this.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'History' }).click();
  }

  /** Only those near the screen are in the page. */
  get list(): Locator {
    return this.page.getByRole('grid', { name: 'Versions' });
  }

  /** Lines of the list as far as they are in the page, without the titles. */
  get rows(): Locator {
    return this.list.getByRole('row').filter({ hasNot: this.page.getByRole('columnheader') });
  }

  /** The line of a version. */
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

  /** What is beside the list; of any version where no number is given. */
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

  /** What restoring the open version does, and what came of it. */
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

  /** Tag and note of the open version, while they are written. */
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

  /** Numbers of the versions that are drawn, in the order of the screen. */
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
