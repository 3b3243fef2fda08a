import type { Locator, Page } from '@playwright/test';
import { Shell } from './shell.ts';

/** Fields of the dialogs that submit a job. */
const roles = {
  Model: 'textbox',
  Version: 'textbox',
  Arguments: 'textbox',
  Dataset: 'combobox',
  'What the model learns': 'combobox',
  Script: 'combobox',
  'Version of the script': 'combobox',
} as const;

/** The Train screen: the list of jobs, and what is open beside it. */
export class TrainPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(): Promise<void> {
    await new Shell(this.page).open('Train');
    await this.side.waitFor();
  }

  get side(): Locator {
    return this.page.getByRole('region', { name: 'Train', exact: true });
  }

  get search(): Locator {
    return this.side.getByRole('searchbox', { name: 'Find a job' });
  }

  get status(): Locator {
    return this.side.getByRole('combobox', { name: 'Status' });
  }

  get list(): Locator {
    return this.side.getByRole('grid', { name: 'Training jobs' });
  }

  /** The rows in the page. */
  get rows(): Locator {
    return this.list.getByRole('row').filter({ has: this.page.getByRole('rowheader') });
  }

  /** The row of a job, by model and version: `screws 2`. */
  row(title: string): Locator {
    return this.list.getByRole('row').filter({ has: this.page.getByRole('rowheader', { name: title, exact: true }) });
  }

  async choose(title: string): Promise<void> {
    await this.row(title).getByRole('rowheader').click();
    await this.pane(title).waitFor();
  }

  async tick(title: string): Promise<void> {
    await this.row(title)
      .getByRole('checkbox', { name: `Compare ${title}` })
      .click();
  }

  pane(title: string): Locator {
    return this.page.getByRole('article', { name: title, exact: true });
  }

  action(title: string, name: 'Cancel' | 'Deploy' | 'Retry' | 'Change and retry' | 'Delete'): Locator {
    return this.pane(title)
      .getByRole('group', { name: 'Actions for this job' })
      .getByRole('button', { name, exact: true });
  }

  log(title: string): Locator {
    return this.pane(title).getByRole('log', { name: 'Log' });
  }

  plot(title: string): Locator {
    return this.page.getByRole('figure', { name: title, exact: true });
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog').last();
  }

  /** The button that submits the job in the dialog. */
  get submit(): Locator {
    return this.dialog.getByRole('button', { name: /^(Train|Submitting)/ });
  }

  field(name: keyof typeof roles): Locator {
    const role = roles[name];
    return this.dialog.getByRole(role, { name, exact: true });
  }
}
