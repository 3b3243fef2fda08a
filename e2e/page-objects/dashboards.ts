import { expect, type Locator, type Page } from '@playwright/test';
import { Shell } from './shell.ts';

/** The dashboards of the Control screen. */
export class Dashboards {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(): Promise<void> {
    await new Shell(this.page).open('Control');
    await expect(this.menu).toBeVisible();
  }

  get picker(): Locator {
    return this.page.getByRole('combobox', { name: 'Dashboard' });
  }

  /** Shows a dashboard, or `All resources`. */
  async pick(name: string): Promise<void> {
    await this.picker.click();
    await this.page.getByRole('option', { name, exact: true }).click();
  }

  get menu(): Locator {
    return this.page.getByRole('button', { name: 'Dashboard menu' });
  }

  /** Runs an entry of the menu of the dashboard. */
  async act(entry: string): Promise<void> {
    await this.menu.click();
    await this.page.getByRole('menuitem', { name: entry, exact: true }).click();
  }

  /** Makes a dashboard, which is edited then. */
  async add(name: string): Promise<void> {
    await this.act('New dashboard');
    await this.answerName(name, 'Create');
    await expect(this.save).toBeVisible();
  }

  /** Fills the dialog that asks for a name. */
  async answerName(name: string, action: string): Promise<void> {
    await this.dialog.getByRole('textbox', { name: 'Name' }).fill(name);
    await this.dialog.getByRole('button', { name: action, exact: true }).click();
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  /** The notice above the tiles, of a conflict or a failure. */
  get notice(): Locator {
    return this.page.locator('div.notice');
  }

  /** Adds the cards of resources. */
  async addCards(...names: string[]): Promise<void> {
    await this.page.getByRole('button', { name: 'Add card' }).click();
    await this.choose(names, 'Add');
  }

  /** Adds a plot. @param readings `position of wheel` */
  async addPlot(...readings: string[]): Promise<void> {
    await this.page.getByRole('button', { name: 'Add plot' }).click();
    await this.choose(readings, 'Add the plot');
  }

  async choose(names: readonly string[], action: string): Promise<void> {
    const search = this.dialog.getByRole('textbox', { name: 'Search' });
    for (const name of names) {
      await search.fill(name);
      await this.dialog.getByRole('checkbox', { name }).check();
    }
    await this.dialog.getByRole('button', { name: action, exact: true }).click();
    await expect(this.dialog).toBeHidden();
  }

  async addNote(text: string): Promise<void> {
    await this.page.getByRole('button', { name: 'Add note' }).click();
    await this.dialog.getByRole('textbox', { name: 'Text' }).fill(text);
    await this.dialog.getByRole('button', { name: 'Add the note' }).click();
    await expect(this.dialog).toBeHidden();
  }

  get save(): Locator {
    return this.page.getByRole('button', { name: 'Save', exact: true });
  }

  get discard(): Locator {
    return this.page.getByRole('button', { name: 'Discard', exact: true });
  }

  async saveEdits(): Promise<void> {
    await this.save.click();
    await expect(this.save).toBeHidden();
  }

  get tiles(): Locator {
    return this.page.getByRole('list', { name: /^Tiles of / }).locator('> li');
  }

  /** The names of the tiles, in their order, while they are edited. */
  names(): Promise<string[]> {
    return this.tiles.locator('.bar .name').allInnerTexts();
  }

  /** The bar of a tile that is edited. */
  bar(name: string): Locator {
    return this.page.getByRole('group', { name: `Move ${name}`, exact: true });
  }

  /** The tile with this bar. */
  tile(name: string): Locator {
    return this.tiles.filter({ has: this.bar(name) });
  }

  async actOn(name: string, entry: string): Promise<void> {
    await this.page.getByRole('button', { name: `Menu of ${name}`, exact: true }).click();
    await this.page.getByRole('menuitem', { name: entry }).click();
  }

  /** Drags a tile by its bar onto another one: before it, or after it. */
  async drag(name: string, onto: string, side: 'before' | 'after'): Promise<void> {
    const from = await boxOf(this.bar(name));
    const to = await boxOf(this.bar(onto));
    const { mouse } = this.page;
    await mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await mouse.down();
    await mouse.move(from.x + from.width / 2 + 20, from.y + from.height / 2 + 5);
    await mouse.move(to.x + to.width * (side === 'before' ? 0.2 : 0.8), to.y + 10, { steps: 4 });
    await expect(this.tile(onto)).toHaveClass(new RegExp(side));
    await mouse.up();
  }

  /** Drags an edge of a tile by this many pixels. */
  async dragEdge(name: string, edge: 'right' | 'bottom', by: number): Promise<void> {
    const handle = this.tile(name).locator(`.edge.${edge}`);
    await handle.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await boxOf(handle);
    const { mouse } = this.page;
    await mouse.move(x + width / 2, y + height / 2);
    await mouse.down();
    await mouse.move(x + width / 2 + (edge === 'right' ? by : 0), y + height / 2 + (edge === 'bottom' ? by : 0), {
      steps: 4,
    });
    await mouse.up();
  }
}

export async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('it is not on the screen');
  return box;
}
