import type { Locator, Page } from '@playwright/test';

/** The help of a field, below it, and the page about its model, beside the form. */
export class FieldHelp {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** The button that writes the example of a field. */
  example(label: string): Locator {
    return this.page.locator('form').getByRole('button', { name: new RegExp(`^Use .* for ${escaped(label)}$`) });
  }

  readMore(label: string): Locator {
    return this.page.locator('form').getByRole('link', { name: `Read more about ${label}`, exact: true });
  }

  /** The page about a model. */
  pane(title: string): Locator {
    return this.page.getByRole('complementary', { name: `Help: ${title}`, exact: true });
  }

  get closeButton(): Locator {
    return this.page.getByRole('button', { name: 'Close help' });
  }

  /** The heading of an attribute, by its label and name. */
  heading(name: string): Locator {
    return this.page.getByRole('complementary').getByRole('heading', { name, exact: true });
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
