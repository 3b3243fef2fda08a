import { expect, test } from '../../fixtures/dataset-test.ts';
import { colourClassifier, steadyDetector } from '../../fixtures/test-models.ts';
import { pngOf } from '../../harness/picture.ts';
import { checkLook } from '../../page-objects/look.ts';
import { ModelShelf } from '../../page-objects/models.ts';

const plain = (red: number, green: number, blue: number): Buffer => pngOf(32, 24, () => ({ red, green, blue }));

test('a classifier is tested on stored pictures: each answer, right or wrong, and the total', async ({
  page,
  captured,
  fleet,
}) => {
  test.setTimeout(240_000);
  const at = Date.UTC(2026, 10, 21, 10);
  const ids = [
    await captured.picture(at, plain(255, 0, 0), { tags: ['red'] }),
    await captured.picture(at + 1_000, plain(0, 255, 0), { tags: ['blue'] }),
    await captured.picture(at + 2_000, plain(0, 0, 255), { tags: ['line 3'] }),
    await captured.picture(at + 3_000, Buffer.from('no picture at all')),
  ];
  await captured.dataset(await fleet.organizationId(), 'Colours', ids);
  const shelf = new ModelShelf(page);
  await shelf.open();
  const labels = ['red', 'green', 'blue'];
  await shelf.upload({ name: 'colours', file: colourClassifier, labels, type: 'classification, one label' });
  await shelf.upload({ name: 'finder', file: steadyDetector, labels: ['nut', 'screw'], type: 'object detection' });
  await checkLook(page, 'model-shelf');
  await page.getByRole('button', { name: 'Upload a model' }).click();
  await checkLook(page, 'model-upload');
  await page.keyboard.press('Escape');

  const tested = await shelf.test('colours', '1.0.0');
  await tested.pictures.focus();
  await page.keyboard.type('Colours');
  await page.getByRole('option', { name: 'Colours' }).waitFor();
  await page.keyboard.press('Enter');
  await tested.start.focus();
  await page.keyboard.press('Enter');
  await expect(tested.screen).toContainText('1 of 2 right, 50 %');
  await expect(tested.screen).toContainText('1 without labels that the model knows');
  await expect(tested.screen).toContainText('1 could not be read');
  await expect(tested.tiles).toHaveText([
    /Right\s*Model: red, \d+ %\s*Labels: red/,
    /Wrong\s*Model: green, \d+ %\s*Labels: blue/,
    /Unlabelled\s*Model: blue/,
    /Not read.*cannot be read/,
  ]);
  await checkLook(page, 'model-test');
  await tested.show('Wrong');
  await expect(tested.tiles).toHaveText([/Model: green/]);

  await tested.screen.getByRole('link', { name: 'Back to the models' }).click();
  const refused = await shelf.test('finder', '1.0.0');
  await refused.pictures.fill('Colours');
  await page.keyboard.press('Enter');
  await refused.start.click();
  await expect(refused.screen).toContainText('Model "finder" 1.0.0 is a detector');
});
