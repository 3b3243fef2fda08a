import { expect, type Locator, type Page } from '@playwright/test';
import { ApplyBar } from './apply-bar.ts';
import { Shell } from './shell.ts';

/** The Triggers screen. */
export class TriggersPage {
  readonly page: Page;
  readonly applyBar: ApplyBar;

  constructor(page: Page) {
    this.page = page;
    this.applyBar = new ApplyBar(page);
  }

  async open(): Promise<void> {
    await new Shell(this.page).open('Triggers');
    await this.page.getByRole('heading', { name: 'Triggers', level: 1 }).waitFor();
  }

  /** Opens a trigger of the list. */
  async openTrigger(name: string): Promise<void> {
    await this.open();
    await this.listed(name).click();
    await expect(this.listed(name)).toHaveAttribute('aria-current', 'true');
  }

  get list(): Locator {
    return this.page.getByRole('navigation', { name: 'Triggers of this machine' });
  }

  listed(name: string): Locator {
    return this.list.getByRole('link', { name });
  }

  get newButton(): Locator {
    return this.page
      .getByRole('region', { name: 'Triggers', exact: true })
      .getByRole('button', { name: 'New trigger' });
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog').last();
  }

  /** Creates a trigger, by default of the first kind that is offered. */
  async create(name: string, kind = 'a reading comes in'): Promise<void> {
    await this.newButton.click();
    await this.dialog.getByRole('textbox', { name: 'Name' }).fill(name);
    await this.dialog.getByRole('radio', { name: kind }).check();
    await this.dialog.getByRole('button', { name: 'Create' }).click();
    await this.pane(name).waitFor();
  }

  pane(name: string): Locator {
    return this.page.getByRole('region', { name: `Trigger ${name}`, exact: true });
  }

  get builder(): Locator {
    return this.page.getByRole('form', { name: 'What the trigger does' });
  }

  get kind(): Locator {
    return this.builder.getByRole('combobox', { name: 'What happens' });
  }

  get method(): Locator {
    return this.builder.getByRole('combobox', { name: 'Captured method' });
  }

  get conditions(): Locator {
    return this.builder.getByRole('group', { name: /^Condition \d/ });
  }

  condition(number: number): ConditionRow {
    return new ConditionRow(this.builder.getByRole('group', { name: `Condition ${number}`, exact: true }));
  }

  async addCondition(field: string): Promise<ConditionRow> {
    const before = await this.conditions.count();
    await this.builder.getByRole('button', { name: 'Add a condition' }).click();
    const row = this.condition(before + 1);
    await row.chooseField(field);
    return row;
  }

  target(number: number): TargetRow {
    return new TargetRow(this.builder.getByRole('group', { name: `Target ${number}`, exact: true }));
  }

  async choose(action: 'Rename' | 'Disable' | 'Enable' | 'Delete'): Promise<void> {
    await this.page.getByRole('button', { name: /^More for / }).click();
    await this.page.getByRole('menuitem', { name: action }).click();
  }

  async showView(view: 'Form' | 'JSON'): Promise<void> {
    await this.page.getByRole('group', { name: 'View' }).getByRole('button', { name: view, exact: true }).click();
  }

  get json(): Locator {
    return this.page.getByRole('textbox', { name: /^Trigger / });
  }

  /** Applies the draft and waits until that is done. */
  async apply(): Promise<void> {
    await this.applyBar.applyButton.click();
    await expect(this.applyBar.bar).toContainText(/Applied/);
  }

  get dryRun(): Locator {
    return this.page.getByRole('region', { name: 'Dry run', exact: true });
  }

  get dryRunResult(): Locator {
    return this.page.getByRole('region', { name: 'Result of the dry run' });
  }

  async runDry(): Promise<void> {
    await this.dryRun.getByRole('button', { name: 'Dry run' }).click();
    await this.dryRunResult.waitFor();
  }

  /** Pastes a reading into the dry run. */
  async paste(reading: object): Promise<void> {
    await this.dryRun.getByRole('button', { name: 'Pasted' }).click();
    await this.dryRun.getByRole('textbox', { name: 'Reading as JSON' }).fill(JSON.stringify(reading));
  }

  /** What it would have done in the last day. */
  get past(): Locator {
    return this.page.getByRole('region', { name: /in the last day\.$|^Last day$/ });
  }

  get evaluations(): Locator {
    return this.page.getByRole('region', { name: 'Last evaluations' }).getByRole('listitem');
  }

  get deliveries(): Locator {
    return this.page.getByRole('region', { name: 'Deliveries' });
  }

  get deliveryRows(): Locator {
    return this.deliveries.getByRole('list', { name: 'Deliveries, newest first' }).locator('> li');
  }

  async openDelivery(row: Locator): Promise<void> {
    await row.locator('button[aria-expanded]').first().click();
  }
}

/** One comparison of the builder. */
export class ConditionRow {
  readonly row: Locator;

  constructor(row: Locator) {
    this.row = row;
  }

  get field(): Locator {
    return this.row.getByRole('combobox', { name: 'Field' });
  }

  get operator(): Locator {
    return this.row.getByRole('combobox', { name: 'Comparison' });
  }

  get value(): Locator {
    return this.row.getByLabel('Value', { exact: true });
  }

  /** Chooses a field of the last reading. */
  async chooseField(name: string): Promise<void> {
    await this.field.click();
    await this.row.getByRole('option', { name: new RegExp(`^${name}\\b`) }).click();
  }
}

/** One target of the builder. */
export class TargetRow {
  readonly row: Locator;

  constructor(row: Locator) {
    this.row = row;
  }

  get whereto(): Locator {
    return this.row.getByRole('textbox', { name: /^(URL|Address)$/ });
  }

  get seconds(): Locator {
    return this.row.getByRole('textbox', { name: 'Seconds between notifications' });
  }

  get test(): Locator {
    return this.row.getByRole('button', { name: /^Send test to / });
  }

  get secret(): Locator {
    return this.row.getByRole('button', { name: /^Secret of / });
  }
}
