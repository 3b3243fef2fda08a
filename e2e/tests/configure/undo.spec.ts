import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

const undoKeys = 'ControlOrMeta+z';

test(
  'one undo goes back over form and text, and the mark of changes goes with it',
  { tag: '@smoke' },
  async ({ page }) => {
    const configure = new ConfigurePage(page);
    await configure.open('right');
    await configure.maxSpeed.fill('150');
    await expect(configure.resource('right')).toContainText('changed');
    await configure.openText();
    await expect(configure.editor).toContainText('"max_rpm": 150');
    await page.keyboard.press('End');
    await page.keyboard.insertText('"notes": "belt",');
    await page.keyboard.press(undoKeys);
    await expect(configure.editor).not.toContainText('belt');
    await expect(configure.editor).toContainText('"max_rpm": 150');
    await configure.showView('Form');
    await expect(configure.maxSpeed).toHaveValue('150');
    await configure.undoButton.click();
    await expect(configure.maxSpeed).toHaveValue('120');
    await expect(configure.bar).toContainText('Everything is applied');
    await expect(configure.resource('right')).not.toContainText('changed');
    await configure.redoButton.click();
    await expect(configure.maxSpeed).toHaveValue('150');
    await expect(configure.bar).not.toContainText('Everything is applied');
  },
);

test('undo past an apply is a change again, redo makes it none', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('right');
  await configure.maxSpeed.fill('150');
  await configure.review();
  await configure.applyPlan();
  await expect(configure.bar).toContainText('Applied');
  await configure.undoButton.click();
  await expect(configure.maxSpeed).toHaveValue('120');
  await expect(configure.reviewButton).toBeVisible();
  await configure.redoButton.click();
  await expect(configure.maxSpeed).toHaveValue('150');
  await expect(configure.reviewButton).toBeHidden();
});

test('letters typed one after the other are one step, also those of a field in the form', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('right');
  // Letters that follow each other at once, however slow this computer is.
  await page.clock.setFixedTime(Date.now());
  await configure.maxSpeed.focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('1500');
  await expect(configure.maxSpeed).toHaveValue('1500');
  await configure.undoButton.click();
  await expect(configure.maxSpeed).toHaveValue('120');
  await expect(configure.bar).toContainText('Everything is applied');
});

test('an undone step is shown where it was made', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('right');
  await configure.maxSpeed.fill('150');
  await configure.open('bench');
  await configure.undoButton.click();
  await expect(configure.heading('right')).toBeVisible();
  await configure.redoButton.click();
  await configure.openText();
  await configure.resource('bench').click();
  await expect(configure.middle.locator('.cm-activeLine')).not.toContainText('max_rpm');
  await page.keyboard.press(undoKeys);
  await expect(configure.middle.locator('.cm-activeLine')).toContainText('"max_rpm": 120');
});

test('undo in a dialog stays in the dialog', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('right');
  await configure.maxSpeed.fill('150');
  await configure.choose('Rename');
  const dialog = configure.dialog('Rename right');
  await dialog.getByRole('textbox', { name: 'New name' }).press('End');
  await page.keyboard.type('x');
  await page.keyboard.press(undoKeys);
  await expect(dialog.getByRole('textbox', { name: 'New name' })).toHaveValue('right');
  await page.keyboard.press('Escape');
  await expect(configure.maxSpeed).toHaveValue('150');
});

test('the history outlives another screen, and is said in words', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('right');
  await configure.choose('Delete');
  await configure.dialog('Delete right?').getByRole('button', { name: 'Delete' }).click();
  await new Shell(page).open('Logs');
  await new Shell(page).open('Configure');
  await expect(configure.undoButton).toHaveAccessibleName('Undo: delete right');
  await configure.undoButton.click();
  await expect(configure.resource('right')).toBeVisible();
  await expect(configure.bar).toContainText('Everything is applied');
});
