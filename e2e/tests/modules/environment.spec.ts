import { expect, test } from '../../fixtures/modules-test.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ModuleCard } from '../../page-objects/module-card.ts';

test('variables are added, named, hidden and removed with the keyboard alone', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const card = new ModuleCard(page);
  await configure.open('acme_test');
  await card.environment.getByRole('button', { name: 'Add a variable' }).focus();
  await page.keyboard.press('Enter');
  await expect(card.variableName(1)).toBeFocused();
  await page.keyboard.type('TOKEN');
  await page.keyboard.press('Enter');
  await expect(card.variableValue('TOKEN')).toBeFocused();
  await page.keyboard.type('hunter2');
  // What is being typed is seen.
  await expect(card.variableValue('TOKEN')).toHaveAttribute('type', 'text');
  await page.keyboard.press('Enter');
  await expect(card.variableName(2)).toBeFocused();
  await page.keyboard.type('TOKEN');
  await expect(card.environment).toContainText('This name is already used. Not in the draft yet.');
  await page.keyboard.type('_2');
  await expect(card.environment).not.toContainText('Not in the draft yet');
  await page.keyboard.press('Enter');
  await page.keyboard.type('${environment.PATH}');
  await expect(card.environment).toContainText('uses PATH of the server');

  // Somebody who comes later does not see it over a shoulder.
  await configure.open('hoist');
  await configure.open('acme_test');
  await expect(card.variableValue('TOKEN')).toHaveAttribute('type', 'password');
  await expect(card.variableValue('TOKEN_2')).toHaveAttribute('type', 'text');
  await card.environment.getByRole('button', { name: 'Show the values' }).click();
  await expect(card.variableValue('TOKEN')).toHaveValue('hunter2');
  await expect(card.variableValue('TOKEN')).toHaveAttribute('type', 'text');

  await card.environment.getByRole('button', { name: 'Remove TOKEN_2' }).click();
  await configure.openText();
  await expect(configure.editor).toContainText('"TOKEN": "hunter2"');
  await expect(configure.editor).not.toContainText('TOKEN_2');
});
