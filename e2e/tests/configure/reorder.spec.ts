import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { keepPicture } from '../../page-objects/look.ts';

test.use({ config: windowBench });

const climate =
  '{ "name": "climate", "api": "core:component:sensor", "model": "fake", "attributes": { "readings": { "celsius": 21.5 } } }';

test('Alt and an arrow move an entry in the file and nothing else, and the order can be saved', async ({
  page,
  machine,
}) => {
  const configure = new ConfigurePage(page);
  await configure.open('climate');
  await page.keyboard.press('Alt+ArrowDown');
  await expect(configure.said('climate is the last already.')).toBeVisible();
  await page.keyboard.press('Alt+ArrowUp');
  await expect(configure.resource('climate')).toBeFocused();
  await expect(configure.said('climate: 4 of 5.')).toBeVisible();
  await page.keyboard.press('Alt+ArrowUp');
  await expect(configure.resource('climate')).toBeFocused();
  expect((await configure.names()).slice(0, 5)).toEqual(['bench', 'wheel', 'climate', 'left', 'right']);
  await expect(configure.bar).toContainText('Only the order changes');
  await expect(configure.bar).toContainText('Nothing is rebuilt.');
  await configure.review();
  await configure.applyPlan();
  await expect(configure.bar).toContainText('Applied');
  const saved = await readFile(machine.configPath, 'utf8');
  expect(saved).toContain(`    },\n    ${climate},\n    {\n      "name": "left"`);
  expect(saved).toHaveLength(windowBench.length);
  // Each press was a step of its own.
  await configure.undoButton.click();
  await expect(configure.undoButton).toHaveAccessibleName('Undo: move climate');
  await configure.undoButton.click();
  await expect(configure.undoButton).toHaveAccessibleName('Nothing to undo');
  await configure.openText();
  await configure.review();
  await configure.applyPlan();
  await expect.poll(() => readFile(machine.configPath, 'utf8')).toBe(windowBench);
});

test('a held key is one step', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('climate');
  await page.clock.setFixedTime(Date.now());
  await page.keyboard.down('Alt');
  for (let times = 0; times < 3; times += 1) {
    await page.keyboard.down('ArrowUp');
    await expect(configure.said(`climate: ${4 - times} of 5.`)).toBeVisible();
  }
  await page.keyboard.up('ArrowUp');
  await page.keyboard.up('Alt');
  await expect(configure.resource('climate')).toBeFocused();
  await configure.undoButton.click();
  await expect(configure.bar).toContainText('Everything is applied');
});

test('a row is dragged within its group, with a line where it will go', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('bench');
  const from = await configure.resource('right').boundingBox();
  const to = await configure.resource('wheel').boundingBox();
  if (from === null || to === null) throw new Error('a row is not shown');
  await page.mouse.move(from.x + 40, from.y + 20);
  await page.mouse.down();
  await page.mouse.move(to.x + 40, to.y + 10, { steps: 5 });
  await expect(configure.dropLine).toBeVisible();
  await keepPicture(page, 'configure-dragged');
  await page.mouse.up();
  await expect(configure.dropLine).toBeHidden();
  await expect(configure.said('right: 2 of 5.')).toBeVisible();
  expect((await configure.names()).slice(0, 5)).toEqual(['bench', 'right', 'wheel', 'left', 'climate']);
  // Dragging opens nothing.
  await expect(configure.heading('bench')).toBeVisible();
  await configure.undoButton.click();
  await expect(configure.bar).toContainText('Everything is applied');
});

test('a row that is let go outside of the list stays, and the menu moves it without a drag', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('right');
  const from = await configure.resource('right').boundingBox();
  if (from === null) throw new Error('the row is not shown');
  await page.mouse.move(from.x + 40, from.y + 20);
  await page.mouse.down();
  await page.mouse.move(from.x + 40, from.y - 80, { steps: 3 });
  await expect(configure.dropLine).toBeVisible();
  await page.mouse.move(from.x + 500, from.y - 80, { steps: 3 });
  await expect(configure.dropLine).toBeHidden();
  await page.mouse.up();
  await expect(configure.bar).toContainText('Everything is applied');
  await configure.choose('Move up');
  await expect(configure.said('right: 3 of 5.')).toBeVisible();
  await expect(configure.heading('right')).toBeVisible();
});
