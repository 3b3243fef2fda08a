import type { Locator, Page } from '@playwright/test';

export type DriverStyle = 'PWM / DIR' | 'In1 / In2' | 'In1 / In2 + PWM';

/** The form of a resource or of the machine: its fields, their problems and their previous values. */
export class ResourceForm {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** The input of a field: a text box, or a list to choose from. */
  field(label: string): Locator {
    return this.page.locator('form').getByRole('textbox', { name: label, exact: true });
  }

  pick(label: string): Locator {
    return this.page.locator('form').getByRole('combobox', { name: label, exact: true });
  }

  /** A whole field with its unit, its problems and its previous value. */
  around(label: string): Locator {
    return this.page.locator('form .field').filter({ has: this.page.getByText(label, { exact: true }) });
  }

  /** One choice of a field that shows a few words side by side. */
  choice(label: string, word: string): Locator {
    return this.page
      .locator('form')
      .getByRole('group', { name: label, exact: true })
      .getByRole('button', { name: word, exact: true });
  }

  driver(style: DriverStyle): Locator {
    return this.page.locator('form').getByRole('radio', { name: new RegExp(`^${escaped(style)} (one|two|speed)`) });
  }

  async chooseDriver(style: DriverStyle): Promise<void> {
    await this.driver(style).check();
  }

  async choosePicked(label: string, option: string): Promise<void> {
    await this.pick(label).click();
    await this.page.getByRole('option', { name: option }).first().click();
  }

  /** A value that is edited as JSON because no field can show it. */
  json(label: string): Locator {
    return this.page.locator('form').getByRole('textbox', { name: label, exact: true });
  }

  button(name: string | RegExp): Locator {
    return this.page.locator('form').getByRole('button', { name });
  }

  get otherKeys(): Locator {
    return this.page.getByRole('region', { name: 'Other keys, kept as they are' });
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
