import { expect, test } from '../../fixtures/history-test.ts';

const config = (key: string, rpm: number): string =>
  JSON.stringify(
    {
      components: [
        { name: 'left', api: 'core:component:motor', model: 'fake', attributes: { max_rpm: rpm, api_key: key } },
      ],
      modules: [{ name: 'm', executable_path: '/bin/false', disabled: true, env: { PASSWORD_OF_IT: `${key}-env` } }],
    },
    null,
    2,
  );

test('secrets are shown nowhere in the history: that they differ is told, not what they are', async ({
  page,
  pair,
  history,
}) => {
  await pair.applyAll([config('hush-one', 60), config('hush-two', 60), config('hush-two', 70)]);
  await history.open();
  await expect(history.row(2)).toContainText('2');
  await history.choose(1);
  await expect(history.difference('left')).toContainText('api_key  ***');
  await expect(history.difference('left')).toContainText('different value, hidden');
  await expect(history.difference('m')).toContainText('env  ***');
  const nowhere = async (): Promise<void> => expect(await page.content()).not.toMatch(/hush/);
  await nowhere();
  await history.showView('Text');
  await expect(history.textDiff).toContainText('"api_key": "*** (differs)"');
  await expect(history.textDiff).toContainText('"max_rpm": 60');
  await nowhere();
  await history.choose(3);
  await history.compareWith('2');
  await expect(history.textDiff).toContainText('"max_rpm": 70');
  // The same on both sides: no difference of its line.
  await expect(history.textDiff).not.toContainText('differs');
  await nowhere();
  await history.search.fill('hush');
  await expect(page.getByText('No versions match.')).toBeVisible();
});
