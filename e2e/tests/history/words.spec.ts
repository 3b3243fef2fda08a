import { expect, test } from '../../fixtures/history-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';

const other = windowBench.replace('"celsius": 21.5', '"celsius": 30');

test('a version gets a tag and a note in place, is found by them, and loses them again', async ({
  page,
  pair,
  history,
}) => {
  await pair.applyAll([windowBench, other]);
  await history.open();
  await history.choose(1);
  await history.tagButton.click();
  const tag = history.words.getByRole('textbox', { name: 'Tag' });
  await expect(tag).toBeFocused();
  await tag.fill('before the new gearbox');
  await history.words.getByRole('textbox', { name: 'Note' }).fill('Both wheels turn forwards.');
  await tag.press('Enter');
  await expect(history.words).toHaveCount(0);
  await expect(history.row(1)).toContainText('before the new gearbox');
  await expect(history.pane(1)).toContainText('Both wheels turn forwards.');
  await history.onlyTagged.click();
  await expect(history.rows).toHaveCount(1);
  await expect(page.getByText('1 version found')).toBeVisible();
  await history.onlyTagged.click();
  await history.search.fill('WHEELS turn');
  await expect(history.rows).toHaveCount(1);
  await history.search.fill('');
  await expect(history.rows).toHaveCount(2);
  expect((await pair.versions(2))[1]).toMatchObject({
    tag: 'before the new gearbox',
    note: 'Both wheels turn forwards.',
  });
  await history.tagButton.click();
  await tag.fill('');
  await history.words.getByRole('button', { name: 'Save' }).click();
  await expect(history.row(1)).not.toContainText('before the new gearbox');
  expect((await pair.versions(2))[1]).toMatchObject({ tag: '', note: 'Both wheels turn forwards.' });
});

test('the summary names items of lists, cuts long values, and is found by its words', async ({ pair, history }) => {
  const listed = windowBench.replace('"name": "climate",', '"name": "climate", "depends_on": ["bench", "left"],');
  const long = listed.replace('21.5', `"${'warm'.repeat(50)}"`);
  await pair.applyAll([windowBench, listed, long]);
  await history.open();
  await expect(history.row(2)).toContainText('climate: depends on: added bench, left');
  await expect(history.row(3)).toContainText(`readings.celsius 21.5 to ${'warm'.repeat(15)}… (200 characters)`);
  await history.search.fill('depends on: added');
  await expect(history.rows).toHaveCount(1);
  await history.choose(2);
  await history.compareWith('1');
  await expect(history.difference('climate')).toContainText('depends on: added bench, left');
  await history.compareWith('3');
  await expect(history.difference('climate').locator('del')).toContainText('… (202 characters)');
});
