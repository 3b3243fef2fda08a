import type { Locator, Page } from '@playwright/test';

/** The Registry screen: search, list, and details of one module. */
export class RegistryPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(): Promise<void> {
    await this.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Registry' }).click();
    await this.side.waitFor();
  }

  /** Lists models or training scripts. */
  async show(kind: 'Models' | 'Training scripts'): Promise<void> {
    await this.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Registry' }).click();
    const kinds = this.page.getByRole('group', { name: 'What is listed' });
    await kinds.getByRole('button', { name: kind, exact: true }).click();
  }

  get side(): Locator {
    return this.page.getByRole('region', { name: 'Registry' });
  }

  get search(): Locator {
    return this.side.getByRole('searchbox', { name: 'Find a module' });
  }

  get list(): Locator {
    return this.side.getByRole('list', { name: 'Modules' });
  }

  /** A row of the list, by the name of the module. */
  row(name: string): Locator {
    return this.list.getByRole('link', { name: new RegExp(`^${name} `) });
  }

  get rows(): Locator {
    return this.list.getByRole('listitem');
  }

  /** The details of a module, by its id. */
  pane(moduleId: string): Locator {
    return this.page.getByRole('article', { name: moduleId });
  }

  async showView(view: 'README' | 'Versions' | 'Models'): Promise<void> {
    const views = this.page.getByRole('group', { name: 'About this module' });
    await views.getByRole('button', { name: view }).click();
  }

  get versions(): Locator {
    return this.page.getByRole('table', { name: 'Versions' });
  }

  version(version: string): Locator {
    return this.versions.getByRole('row').filter({ has: this.page.getByText(version, { exact: true }) });
  }

  async choose(version: string, action: 'Yank' | 'Put back'): Promise<void> {
    await this.version(version)
      .getByRole('button', { name: `More for ${version}` })
      .click();
    await this.page.getByRole('menuitem', { name: action }).click();
  }

  get addButton(): Locator {
    return this.page.getByRole('button', { name: 'Add to this machine' });
  }
}
