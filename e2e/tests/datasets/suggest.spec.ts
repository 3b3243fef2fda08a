import { expect, test } from '../../fixtures/dataset-test.ts';
import { steadyDetector } from '../../fixtures/test-models.ts';
import { checkLook } from '../../page-objects/look.ts';
import { ModelShelf } from '../../page-objects/models.ts';

test('a model suggests boxes, which are labels only once they are accepted, by keys alone', async ({
  page,
  captured,
  fleet,
  ids,
  datasets,
}) => {
  test.setTimeout(240_000);
  await captured.dataset(await fleet.organizationId(), 'Screws', ids);
  const shelf = new ModelShelf(page);
  await shelf.open();
  await shelf.upload({
    ...{ name: 'finder', file: steadyDetector, labels: ['nut', 'screw'] },
    type: 'object detection',
  });
  await datasets.open();
  await datasets.choose('Screws');
  const labels = await datasets.label();
  const { keyboard } = page;
  const boxesOf = async (id: string) =>
    ((await captured.metadata(id))?.annotations?.bboxes ?? []).map(({ label }) => label);
  await labels.at(1);
  await labels.addClass('Nut');

  await labels.suggestBy('finder 1.0.0');
  await expect(labels.suggestions).toHaveText([/Nut\s*90 %/, /screw\s*60 %\s*new class/]);
  await expect(labels.dashed).toHaveCount(2);
  await expect(labels.drawn).toHaveCount(0);
  await expect(labels.saving).toHaveText('Saved');
  await checkLook(page, 'label-suggestions');

  await labels.picture.focus();
  await keyboard.press('a');
  await expect(labels.boxes).toHaveText([/1\. Nut/]);
  await expect(labels.suggestions).toHaveCount(1);
  await keyboard.press('x');
  await expect(labels.suggestions).toHaveCount(0);
  await expect(labels.boxes).toHaveCount(1);

  await keyboard.press('f');
  await labels.at(2);
  await expect(labels.suggestions).toHaveCount(2);
  await keyboard.press('Shift+A');
  await expect(labels.boxes).toHaveText([/1\. Nut/, /2\. screw/]);
  // All of them are one step.
  await keyboard.press('ControlOrMeta+z');
  await expect(labels.boxes).toHaveCount(0);
  await expect(labels.suggestions).toHaveCount(2);
  await keyboard.press('s');
  await keyboard.press('a');
  await expect(labels.boxes).toHaveText([/1\. screw/]);

  await keyboard.press('f');
  await labels.at(3);
  await expect(labels.suggestions).toHaveCount(2);
  await keyboard.press('Shift+X');
  await expect(labels.suggestions).toHaveCount(0);
  await labels.suggesting.getByRole('slider').fill('20');
  await expect(labels.suggestions).toHaveText([/Nut\s*30 %/]);

  await expect(labels.saving).toHaveText('Saved');
  expect(await boxesOf(ids[0] ?? '')).toEqual(['Nut']);
  expect(await boxesOf(ids[1] ?? '')).toEqual(['screw']);
  expect(await boxesOf(ids[2] ?? '')).toEqual([]);
});
