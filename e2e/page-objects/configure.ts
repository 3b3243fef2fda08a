import type { Locator, Page } from '@playwright/test';

export type MenuAction =
  | 'Rename'
  | 'Copy'
  | 'Duplicate'
  | 'Move up'
  | 'Move down'
  | 'Disable'
  | 'Enable'
  | 'Show in Control'
  | 'Show logs'
  | 'Show history'
  | 'Delete';

/** The Configure screen: list, form or text, problems, apply bar, plan and side panel. */
export class ConfigurePage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get list(): Locator {
    return this.page.getByRole('complementary', { name: 'Resources' });
  }

  get filter(): Locator {
    return this.list.getByRole('searchbox', { name: 'Filter resources' });
  }

  get addButton(): Locator {
    return this.list.getByRole('button', { name: 'Add', exact: true });
  }

  /** A line of the list. */
  resource(name: string): Locator {
    return this.list.getByRole('link', { name: new RegExp(`^${name}(\\s|$)`) });
  }

  async open(name: string): Promise<void> {
    await this.resource(name).click();
    await this.heading(name).waitFor();
  }

  /** Names in the list under a heading or over several, in their order. */
  async names(): Promise<readonly string[]> {
    return this.list.getByRole('link').locator('b').allTextContents();
  }

  /** What can be done with several selected resources. */
  get selection(): Locator {
    return this.list.getByRole('group', { name: 'Selected resources' });
  }

  selectionButton(name: 'Copy' | 'Disable' | 'Enable' | 'Log level' | 'Delete' | 'Clear'): Locator {
    return this.selection.getByRole('button', { name, exact: true });
  }

  /** The line that shows where a dragged row will go. */
  get dropLine(): Locator {
    return this.list.locator('.drop');
  }

  /** What the page says about the last action in the list. */
  said(text: string | RegExp): Locator {
    return this.page.getByRole('status').filter({ hasText: text });
  }

  get pasteDialog(): PasteDialog {
    return new PasteDialog(this.dialog('Paste resources'));
  }

  /** Pastes what the clipboard has, as on a page without a text field that has the focus. */
  async paste(): Promise<void> {
    await this.page.keyboard.press('ControlOrMeta+v');
    await this.pasteDialog.dialog.waitFor();
  }

  /** Heading of the open resource. */
  heading(name: string): Locator {
    return this.middle.getByRole('heading', { level: 1, name, exact: true });
  }

  get middle(): Locator {
    return this.page.getByRole('region', { name: 'Configuration', exact: true });
  }

  /** Form of the open resource. */
  get form(): Locator {
    return this.middle.locator('form');
  }

  /** Why the open resource does not run. */
  get condition(): Locator {
    return this.middle.getByRole('region', { name: 'State' });
  }

  get beside(): Locator {
    return this.page.getByRole('complementary', { name: 'About this resource' });
  }

  async showView(view: 'Form' | 'JSON'): Promise<void> {
    const views = this.middle.getByRole('group', { name: 'View' });
    await views.getByRole('button', { name: view, exact: true }).click();
    await views.getByRole('button', { name: view, exact: true, pressed: true }).waitFor();
  }

  /** Opens the JSON text of what is open. */
  async openText(): Promise<void> {
    await this.showView('JSON');
    await this.editor.waitFor();
  }

  async choose(action: MenuAction): Promise<void> {
    await this.middle.getByRole('button', { name: /^More for / }).click();
    await this.page.getByRole('menuitem', { name: action }).click();
  }

  dialog(title: string | RegExp): Locator {
    return this.page.getByRole('dialog', { name: title });
  }

  get addDialog(): AddDialog {
    return new AddDialog(this.dialog('Add a resource'));
  }

  get editor(): Locator {
    return this.page.getByRole('textbox', { name: 'Configuration text' });
  }

  /** Lines of the text that are near the visible part. */
  get lines(): Locator {
    return this.editor.locator('.cm-line');
  }

  /** The line of the cursor. */
  get activeLine(): Locator {
    return this.editor.locator('.cm-activeLine');
  }

  get formatButton(): Locator {
    return this.middle.getByRole('button', { name: 'Format', exact: true });
  }

  /** What formatting did, or why it did nothing. */
  get formatSaid(): Locator {
    return this.formatButton.locator('..').getByRole('status');
  }

  get problems(): Locator {
    return this.page.getByRole('region', { name: 'Problems' });
  }

  problem(text: string | RegExp): Locator {
    return this.problems.getByRole('listitem').getByRole('button', { name: text });
  }

  async openProblems(): Promise<void> {
    const toggle = this.problems.locator('button[aria-expanded]');
    if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click();
  }

  /** Marks in the gutter, beside lines with problems. */
  get gutterMarks(): Locator {
    return this.page.locator('.cm-lint-marker-error');
  }

  /** Text that is underlined as wrong. */
  get underlined(): Locator {
    return this.page.locator('.cm-lintRange-error');
  }

  get bar(): Locator {
    return this.page.getByRole('region', { name: 'Changes that are not applied' });
  }

  get reviewButton(): Locator {
    return this.bar.getByRole('button', { name: 'Review', exact: true });
  }

  get plan(): Locator {
    return this.page.getByRole('dialog', { name: 'What applying will do' });
  }

  /** The choice between both values of fields that were also changed elsewhere. */
  get conflict(): Locator {
    return this.page.getByRole('region', { name: 'Changed elsewhere' });
  }

  get conflictFields(): Locator {
    return this.conflict.getByRole('listitem');
  }

  /** The notice of changes from elsewhere that were merged into the draft without a question. */
  get takenIn(): Locator {
    return this.page.getByText('Changed elsewhere and now in your draft too');
  }

  get undoButton(): Locator {
    return this.bar.getByRole('button', { name: /^(Undo:|Nothing to undo)/ });
  }

  get redoButton(): Locator {
    return this.bar.getByRole('button', { name: /^(Redo:|Nothing to redo)/ });
  }

  /** The field of a motor that the tests change. */
  get maxSpeed(): Locator {
    return this.form.getByRole('textbox', { name: 'Max speed' });
  }

  /** Replaces the whole text, as pasting does. Opens the text first if a form is open. */
  async replaceText(text: string): Promise<void> {
    if (!(await this.editor.isVisible())) await this.openText();
    await this.editor.click();
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.insertText(text);
  }

  async review(): Promise<void> {
    await this.reviewButton.click();
  }

  async applyPlan(): Promise<void> {
    await this.plan.getByRole('button', { name: /^(Apply|Stop and apply)$/ }).click();
  }
}

/** The dialog that shows what pasting adds. */
export class PasteDialog {
  readonly dialog: Locator;

  constructor(dialog: Locator) {
    this.dialog = dialog;
  }

  get entries(): Locator {
    return this.dialog.getByRole('checkbox');
  }

  entry(name: string): Locator {
    return this.dialog.getByRole('checkbox', { name: new RegExp(`^${name}(\\s|$)`) });
  }

  get add(): Locator {
    return this.dialog.getByRole('button', { name: /^Add/ });
  }
}

/** The dialog that adds a resource. */
export class AddDialog {
  readonly dialog: Locator;

  constructor(dialog: Locator) {
    this.dialog = dialog;
  }

  get search(): Locator {
    return this.dialog.getByRole('combobox', { name: 'Find a model or a module' });
  }

  get chosen(): Locator {
    return this.dialog.getByRole('option', { selected: true });
  }

  /** The address field for another machine. */
  get address(): Locator {
    return this.dialog.getByRole('combobox', { name: 'Address' });
  }

  get name(): Locator {
    return this.dialog.getByRole('textbox', { name: 'Name' });
  }

  get add(): Locator {
    return this.dialog.getByRole('button', { name: /^Add \S+$/ });
  }

  async choose(group: string, model: string): Promise<void> {
    await this.dialog
      .getByRole('group', { name: group, exact: true })
      .getByRole('option', { name: new RegExp(`^${model}`) })
      .click();
  }
}
