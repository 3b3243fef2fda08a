import type { Locator, Page } from '@playwright/test';
import { Shell } from './shell.ts';

export type MachineAction = 'Open' | 'Show its setup' | 'Rename' | 'Move to another location' | 'Delete';

/** The list of machines, and the dialogs that change it. */
export class FleetPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(): Promise<void> {
    await new Shell(this.page).machine.getByRole('link').click();
    await this.page.getByRole('heading', { name: 'Machines', level: 1 }).waitFor();
  }

  get table(): Locator {
    return this.page.getByRole('grid', { name: 'Machines' });
  }

  /** The row of one machine. */
  row(name: string): Locator {
    return this.table.getByRole('row').filter({ has: this.page.getByText(name, { exact: true }) });
  }

  /** The rows in the page; others are not drawn because they are off the screen. */
  get rows(): Locator {
    return this.table.getByRole('row').filter({ has: this.page.getByRole('gridcell') });
  }

  get search(): Locator {
    return this.page.getByRole('textbox', { name: 'Find a machine' });
  }

  get summary(): Locator {
    return this.page.getByRole('status').filter({ hasText: /machines?, / });
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  async showState(state: 'All' | 'Online' | 'Offline' | 'Awaiting setup' | 'With failures'): Promise<void> {
    await this.page.getByRole('group', { name: 'State' }).getByRole('button', { name: state, exact: true }).click();
  }

  async choose(name: string, action: MachineAction): Promise<void> {
    await this.row(name).hover();
    await this.page.getByRole('button', { name: `Actions for ${name}` }).click();
    await this.page.getByRole('menuitem', { name: action }).click();
  }

  async addMachine(name: string): Promise<void> {
    await this.page.getByRole('button', { name: 'Add a machine' }).click();
    await this.dialog.getByRole('textbox', { name: 'Name' }).fill(name);
    await this.dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await this.dialog.getByRole('group', { name: 'Configuration of the machine' }).waitFor();
  }

  /** The configuration block that is shown for pasting. */
  async cloudBlock(): Promise<{ cloud: { id: string; api_key: { id: string; key: string }; app_address: string } }> {
    const block = this.dialog.getByRole('group', { name: 'Configuration of the machine' }).locator('pre');
    return JSON.parse(await block.innerText()) as Awaited<ReturnType<FleetPage['cloudBlock']>>;
  }
}
