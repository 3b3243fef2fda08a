import { expect, test } from '../../fixtures/dataset-test.ts';

test('pictures are labelled by keys alone: classes, boxes moved and resized, repeated, undone on their picture, tagged', async ({
  page,
  captured,
  ids,
  labels,
}) => {
  const { keyboard } = page;
  const edgesOf = async (id: string) => {
    const { bboxes = [] } = (await captured.metadata(id))?.annotations ?? {};
    return bboxes.map(({ label, ...box }) => [
      label,
      ...[box.xMinNormalized * 320, box.xMaxNormalized * 320].map(Math.round),
      ...[box.yMinNormalized * 240, box.yMaxNormalized * 240].map(Math.round),
    ]);
  };
  await labels.at(1);
  await expect(labels.picture).toBeFocused();
  // There is no class yet: the box waits for the first.
  await keyboard.press('n');
  await expect(labels.newClass).toBeFocused();
  await keyboard.type('screw');
  await keyboard.press('Enter');
  await expect(labels.picture).toBeFocused();
  await expect(labels.boxes).toHaveText([/1\. screw/]);
  await keyboard.press('ArrowRight');
  await keyboard.press('Shift+ArrowUp');
  await keyboard.press('Alt+ArrowLeft');
  await keyboard.press('Alt+Shift+ArrowDown');
  await expect(labels.saving).toHaveText('Saved');
  expect(await edgesOf(ids[0] ?? '')).toEqual([['screw', 121, 200, 80, 150]]);

  // The second class is the digit 2, and acts on the box that is selected.
  await labels.newClass.focus();
  await keyboard.type('nut');
  await keyboard.press('Enter');
  await expect(labels.boxes).toHaveText([/1\. nut/]);
  await keyboard.press('n');
  await keyboard.press('1');
  await expect(labels.boxes).toHaveText([/1\. nut/, /2\. screw/]);
  await keyboard.press('Shift+Tab');
  await expect(labels.boxes.first().getByRole('button', { pressed: true })).toBeVisible();
  await keyboard.press('1');
  await expect(labels.boxes).toHaveText([/1\. screw/, /2\. screw/]);
  await keyboard.press('Delete');
  await expect(labels.boxes).toHaveText([/1\. screw/]);

  await keyboard.press('f');
  await labels.at(2);
  await expect(labels.drawn).toHaveCount(0);
  await keyboard.press('r');
  await expect(labels.drawn).toHaveCount(1);
  // Undo is of this picture: it goes no further than its own first step.
  for (let time = 0; time < 3; time++) await keyboard.press('ControlOrMeta+z');
  await expect(labels.drawn).toHaveCount(0);
  await labels.at(2);
  await keyboard.press('ControlOrMeta+Shift+z');
  await expect(labels.drawn).toHaveCount(1);
  await keyboard.press('d');
  await labels.at(1);
  await expect(labels.drawn).toHaveCount(1);
  await keyboard.press('ControlOrMeta+z');
  await expect(labels.drawn).toHaveCount(2);
  await expect(labels.saving).toHaveText('Saved');
  expect((await edgesOf(ids[1] ?? '')).length).toBe(1);

  await keyboard.down('h');
  await expect(labels.drawn).toHaveCount(0);
  await keyboard.up('h');
  await expect(labels.drawn).toHaveCount(2);

  await keyboard.press('t');
  await labels.newClass.focus();
  await keyboard.type('good');
  await keyboard.press('Enter');
  await keyboard.press('f');
  await labels.at(2);
  await keyboard.press('1');
  await expect(labels.class('good')).toHaveAttribute('aria-pressed', 'true');
  await keyboard.press('1');
  await expect(labels.class('good')).toHaveAttribute('aria-pressed', 'false');
  await keyboard.press('1');
  await keyboard.press('f');
  await labels.at(3);
  await expect(labels.saving).toHaveText('Saved');
  expect(await captured.tagsOf(ids[0] ?? '')).toEqual(['good']);
  expect(await captured.tagsOf(ids[1] ?? '')).toEqual(['good']);
  expect(await captured.tagsOf(ids[2] ?? '')).toEqual([]);
});
