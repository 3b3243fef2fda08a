import type { Locator, Page } from '@playwright/test';

/** What Configure shows for another machine: the connection, its settings and its resources. */
export class RemoteForm {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** The state of the connection. */
  get card(): Locator {
    return this.page.getByRole('region', { name: 'Other machine', exact: true });
  }

  get form(): Locator {
    return this.page.getByRole('region', { name: 'Configuration', exact: true }).locator('form');
  }

  get address(): Locator {
    return this.form.getByRole('combobox', { name: 'Address', exact: true });
  }

  get keyId(): Locator {
    return this.form.getByRole('textbox', { name: 'Key id', exact: true });
  }

  /** Found by its label, because a hidden field has no role. */
  get key(): Locator {
    return this.form.getByLabel('Key', { exact: true }).and(this.page.locator('input'));
  }

  get showKey(): Locator {
    return this.form.getByRole('button', { name: 'Show the key' });
  }

  /** A line in the list of machines found in the network. */
  found(address: string): Locator {
    return this.page.getByRole('group', { name: 'Found on this network' }).getByRole('option', { name: address });
  }
}
