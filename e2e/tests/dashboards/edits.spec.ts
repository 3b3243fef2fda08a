import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { Dashboards } from '../../page-objects/dashboards.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('edits wait on another screen, a reload asks, and Discard gives back what was stored', async ({ page }) => {
  const dashboards = new Dashboards(page);
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    void dialog.dismiss().then(() => asked.push(dialog.type()));
  });
  await dashboards.open();
  await dashboards.add('Bench');
  await dashboards.addNote('One');
  await dashboards.saveEdits();
  await dashboards.act('Edit');
  await dashboards.addNote('Two');
  await new Shell(page).open('Logs');
  await page.goBack();
  await expect.poll(() => dashboards.names()).toEqual(['One', 'Two']);
  await page.evaluate('void setTimeout(() => location.reload())');
  await expect.poll(() => asked).toEqual(['beforeunload']);

  await dashboards.pick('All resources');
  await dashboards.menu.click();
  await expect(page.getByRole('menuitem', { name: /New dashboard/ })).toContainText(
    'Save or discard your changes to “Bench”',
  );
  await page.keyboard.press('Escape');
  await dashboards.pick('Bench');
  await dashboards.bar('One').focus();
  await page.keyboard.press('Delete');
  await expect.poll(() => dashboards.names()).toEqual(['Two']);
  await dashboards.actOn('Two', 'Change');
  await dashboards.dialog.getByRole('textbox', { name: 'Text' }).fill('Three');
  await dashboards.dialog.getByRole('button', { name: 'Use this text' }).click();
  await expect.poll(() => dashboards.names()).toEqual(['Three']);
  await dashboards.discard.click();
  await expect(dashboards.tiles).toHaveText(['One']);
  await page.reload();
  await expect(dashboards.tiles).toHaveText(['One']);
  expect(asked).toHaveLength(1);
});

test('a change in another window is seen at once, and never overwritten', async ({ page, context, machine }) => {
  const one = new Dashboards(page);
  await one.open();
  await one.add('Bench');
  await one.addNote('Mine');
  await one.saveEdits();
  const otherPage = await context.newPage();
  await otherPage.goto(machine.pageUrl);
  const other = new Dashboards(otherPage);
  await other.open();
  await other.pick('Bench');

  await one.act('Edit');
  await one.addNote('More of mine');
  await other.act('Edit');
  await other.addNote('Theirs');
  await other.saveEdits();
  await expect(one.notice).toContainText('This dashboard was changed in another window.');
  await expect(one.save).toBeDisabled();
  await one.notice.getByRole('button', { name: 'Save as a copy' }).click();
  await expect(one.picker).toHaveValue('Bench copy');
  await expect(one.tiles).toHaveText(['Mine', 'More of mine']);
  await one.pick('Bench');
  await expect(one.tiles).toHaveText(['Mine', 'Theirs']);

  await one.act('Edit');
  await one.addNote('Again');
  await other.act('Edit');
  await other.actOn('Mine', 'Remove');
  await other.saveEdits();
  await one.notice.getByRole('button', { name: 'Load it again' }).click();
  await expect.poll(() => one.names()).toEqual(['Theirs']);
  await other.act('Delete');
  await other.dialog.getByRole('button', { name: 'Delete the dashboard' }).click();
  await expect(one.notice).toContainText('This dashboard was deleted in another window.');
});
