import { expect, type Locator, type Page } from '@playwright/test';
import { Shell } from './shell.ts';

/** The Data screen. */
export class DataPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(): Promise<void> {
    await new Shell(this.page).open('Data');
    await this.page.getByRole('heading', { name: 'Data', level: 1 }).waitFor();
  }

  /** Opens the captured data of a resource. */
  async openSource(name: string | RegExp): Promise<void> {
    await this.open();
    await this.source(name).click();
    await expect(this.source(name)).toHaveAttribute('aria-current', 'true');
  }

  get sources(): Locator {
    return this.page.getByRole('region', { name: 'Data', exact: true });
  }

  source(name: string | RegExp): Locator {
    return this.sources.getByRole('link', { name });
  }

  /** All listed sources. */
  get offered(): Locator {
    return this.sources.getByRole('listitem').getByRole('link');
  }

  get pane(): Locator {
    return this.page.getByRole('region', { name: /^Data of / });
  }

  /** Opens the SQL box from anywhere on the screen. */
  async openQuery(): Promise<void> {
    await this.sources.getByRole('link', { name: 'SQL query' }).click();
    await expect(this.query.box).toBeVisible();
  }

  /** The SQL box with its result. */
  get query(): QueryBox {
    return new QueryBox(this.page.getByRole('region', { name: 'SQL query' }));
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog').last();
  }

  plot(field: string): Locator {
    return this.pane.getByRole('figure', { name: field, exact: true });
  }

  /** A field in the list of fields. */
  field(name: string): Locator {
    return this.pane.getByRole('group', { name: 'Plotted fields' }).getByRole('button', { name, exact: true });
  }

  get table(): Locator {
    return this.pane.getByRole('region', { name: 'Readings, newest first' });
  }

  /** The rows of readings. */
  get rows(): Locator {
    return this.table.getByRole('row').filter({ has: this.page.getByRole('button', { expanded: false }) });
  }

  turn(to: 'Newest' | 'Newer' | 'Older'): Promise<void> {
    return this.pane
      .getByRole('group', { name: /^Pages of / })
      .getByRole('button', { name: to, exact: true })
      .click();
  }

  get pictures(): Locator {
    return this.pane.getByRole('listbox', { name: 'Pictures, newest first' });
  }

  get tiles(): Locator {
    return this.pictures.getByRole('option');
  }

  /** The actions for the selected pictures. */
  get selection(): Locator {
    return this.pane.getByRole('group', { name: 'Selected pictures' });
  }

  async export(format: 'CSV table' | 'Parquet file' | 'JSON lines'): Promise<void> {
    await this.pane.getByRole('button', { name: 'Export' }).click();
    await this.page.getByRole('menuitem', { name: format }).click();
  }

  async deleteOld(): Promise<void> {
    await this.pane.getByRole('button', { name: 'Delete old readings' }).click();
  }

  /** Waits until a plot is complete. @returns the text above it */
  async wholePlot(field: string): Promise<string> {
    await expect(this.plot(field)).toBeVisible();
    await expect(this.plot(field).getByText(/^Loading, \d+ %$/)).toHaveCount(0);
    return (await this.plot(field).getByRole('img').getAttribute('aria-label')) ?? '';
  }

  /** Drags over a plot from one share of its width to another. */
  async drag(field: string, from: number, to: number): Promise<void> {
    const box = await this.plot(field).locator('.u-over').boundingBox();
    if (box === null) throw new Error(`the plot of ${field} is not drawn`);
    const y = box.y + box.height / 2;
    await this.page.mouse.move(box.x + box.width * from, y);
    await this.page.mouse.down();
    await this.page.mouse.move(box.x + box.width * ((from + to) / 2), y);
    await this.page.mouse.move(box.x + box.width * to, y);
    await this.page.mouse.up();
  }
}

/** The SQL box with its result. */
export class QueryBox {
  readonly pane: Locator;

  constructor(pane: Locator) {
    this.pane = pane;
  }

  get box(): Locator {
    return this.pane.getByRole('textbox', { name: 'SQL' });
  }

  get result(): Locator {
    return this.pane.getByRole('region', { name: 'Result' });
  }

  /** Texts of the result; the first row is the header. */
  async table(): Promise<string[][]> {
    const rows = await this.result.getByRole('row').all();
    return Promise.all(
      rows.map(async (row) => (await row.locator('th, td').allInnerTexts()).map((text) => text.trim())),
    );
  }

  /** Replaces the query and runs it, with the keyboard only. */
  async run(sql: string): Promise<void> {
    await this.box.focus();
    await this.box.press('ControlOrMeta+A');
    await this.pane.page().keyboard.insertText(sql);
    await this.box.press('Control+Enter');
  }
}
