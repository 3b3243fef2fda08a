import { expect, type Locator, type Page } from '@playwright/test';
import { DataPage } from './data.ts';

/** The Datasets screen. */
export class DatasetsPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Opens the screen from the Data screen, as a person does. */
  async open(): Promise<void> {
    await new DataPage(this.page).open();
    await this.page.getByRole('link', { name: 'Datasets', exact: true }).click();
    await this.page.getByRole('heading', { name: 'Datasets', level: 1 }).waitFor();
  }

  /** Opens a dataset of the list. */
  async choose(name: string): Promise<void> {
    await this.list.getByRole('link', { name, exact: true }).click();
    await this.pane(name).waitFor();
  }

  async make(name: string): Promise<void> {
    await this.page.getByRole('button', { name: 'New dataset' }).click();
    await this.dialog.getByRole('textbox', { name: 'Name' }).fill(name);
    await this.dialog.getByRole('button', { name: 'Create' }).click();
    await this.pane(name).waitFor();
  }

  get list(): Locator {
    return this.page.getByRole('region', { name: 'Datasets', exact: true });
  }

  pane(name: string | RegExp = /^Dataset /): Locator {
    return this.page.getByRole('region', { name: typeof name === 'string' ? `Dataset ${name}` : name });
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog').last();
  }

  get tiles(): Locator {
    return this.pane()
      .getByRole('listbox', { name: /^Pictures of the dataset/ })
      .getByRole('option');
  }

  get filters(): Locator {
    return this.pane().getByRole('group', { name: 'Filters' });
  }

  /** The requirements for training, one per line. */
  get checks(): Locator {
    return this.pane().getByRole('list', { name: 'Requirements for training' });
  }

  get snapshots(): Locator {
    return this.pane().getByRole('list', { name: 'Snapshots' }).getByRole('listitem');
  }

  /** Chooses what a model should predict. */
  async chooseTask(name: 'One label' | 'Several labels' | 'Boxes'): Promise<void> {
    await this.pane().getByRole('group', { name: 'What a model should predict' }).getByRole('button', { name }).click();
  }

  /** Opens the pictures for labelling, beginning with the first one shown. */
  async label(): Promise<LabelPage> {
    await this.pane().getByRole('button', { name: 'Label', exact: true }).click();
    const labels = new LabelPage(this.page);
    await expect(labels.picture).toBeVisible();
    return labels;
  }
}

/** The labelling screen. */
export class LabelPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get screen(): Locator {
    return this.page.getByRole('region', { name: 'Label pictures' });
  }

  get picture(): Locator {
    return this.screen.getByRole('application');
  }

  /** Whether everything is saved. */
  get saving(): Locator {
    return this.screen.getByText(/^(Saved|Saving|Not saved yet|Could not save .*)$/);
  }

  get boxes(): Locator {
    return this.screen.getByRole('list', { name: 'Boxes of the picture' }).getByRole('listitem');
  }

  /** The boxes drawn on the picture. */
  get drawn(): Locator {
    return this.picture.locator('.line');
  }

  /** The suggestions of a model. */
  get suggesting(): Locator {
    return this.screen.getByRole('region', { name: 'Suggestions of a model' });
  }

  get suggestions(): Locator {
    return this.suggesting.getByRole('list', { name: 'Suggestions for the picture' }).getByRole('listitem');
  }

  /** The suggested boxes on the picture. */
  get dashed(): Locator {
    return this.picture.locator('.dash');
  }

  /** Lets a model, given by name and version, make suggestions. */
  async suggestBy(model: string): Promise<void> {
    await this.suggesting.getByRole('combobox', { name: 'Model' }).fill(model);
    await this.page.keyboard.press('Enter');
  }

  /** The button of a class or tag. */
  class(name: string): Locator {
    return this.screen.getByRole('complementary', { name: 'Labels of the picture' }).getByRole('button', { name });
  }

  get newClass(): Locator {
    return this.screen.getByRole('textbox', { name: /New class|What does the box show/ });
  }

  async addClass(name: string): Promise<void> {
    await this.newClass.fill(name);
    await this.newClass.press('Enter');
  }

  /** Waits until the picture with this number is shown. */
  async at(number: number): Promise<void> {
    await expect(this.picture).toHaveAccessibleName(new RegExp(`^Picture ${number},`));
  }

  /** Drags on the picture, from and to shares of its width and height. */
  async drag(from: readonly [number, number], to: readonly [number, number]): Promise<void> {
    const image = await this.picture.locator('image').boundingBox();
    if (image === null) throw new Error('the picture is not drawn');
    const place = ([x, y]: readonly [number, number]) =>
      [image.x + x * image.width, image.y + y * image.height] as const;
    await this.page.mouse.move(...place(from));
    await this.page.mouse.down();
    await this.page.mouse.move(...place([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]));
    await this.page.mouse.move(...place(to));
    await this.page.mouse.up();
  }
}
