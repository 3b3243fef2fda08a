import type { Locator, Page } from '@playwright/test';

/** The card of a vision service on the Control screen. */
export class VisionCard {
  readonly card: Locator;

  constructor(page: Page, name: string) {
    this.card = page.getByRole('article', { name, exact: true });
  }

  get picture(): Locator {
    return this.card.getByRole('img', { name: /^Picture of / });
  }

  get camera(): Locator {
    return this.card.getByRole('combobox', { name: 'Camera' });
  }

  /** What was found, as a list of texts. */
  get found(): Locator {
    return this.card.getByRole('region', { name: 'Boxes in the picture' }).getByRole('listitem');
  }

  get classes(): Locator {
    return this.card.getByRole('region', { name: 'What the picture shows' }).getByRole('listitem');
  }

  get confidence(): Locator {
    return this.card.getByRole('slider', { name: 'Minimum confidence' });
  }

  get showsBoxes(): Locator {
    return this.card.getByRole('switch', { name: 'Show boxes' });
  }

  get problem(): Locator {
    return this.card.getByRole('status').first();
  }

  get state(): Locator {
    return this.card.locator('header .chip');
  }

  /** The boxes over the picture. */
  get boxes(): Locator {
    return this.card.locator('.box');
  }

  pace(name: 'Pause' | '1/s' | '5/s' | '15/s'): Locator {
    return this.card.getByRole('group', { name: 'Pictures per second' }).getByRole('button', { name, exact: true });
  }
}
