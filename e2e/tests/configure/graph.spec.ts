import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';

test.use({ config: windowBench });

test('the picture of a machine leads to what is in it, by mouse and by keyboard', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const picture = configure.middle.getByRole('group', { name: 'All resources and their dependencies' });
  await expect(picture.getByRole('link')).toHaveCount(5);
  await expect(picture.getByRole('link', { name: 'left, ready' })).toBeVisible();
  await checkLook(page, 'configure-overview');
  await picture.getByRole('link', { name: 'left, ready' }).click();
  await expect(configure.heading('left')).toBeVisible();
  const around = configure.beside.getByRole('group', { name: 'Dependencies' });
  await expect(around.getByRole('link')).toHaveCount(3);
  await around.getByRole('link', { name: /^wheel/ }).focus();
  await page.keyboard.press('Enter');
  await expect(configure.heading('wheel')).toBeVisible();
});

test('dragging moves the picture and opens nothing; wheel, buttons and keys zoom', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const picture = configure.middle.getByRole('group', { name: 'All resources and their dependencies' });
  const left = picture.getByRole('link', { name: 'left, ready' });
  const before = await left.boundingBox();
  if (before === null) throw new Error('left is not drawn');
  const [x, y] = [before.x + before.width / 2, before.y + before.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x - 60, y - 40, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => Math.round((await left.boundingBox())?.x ?? 0)).toBe(Math.round(before.x - 60));
  await expect(configure.heading('Configuration')).toBeVisible();
  const width = async (): Promise<number> => (await left.boundingBox())?.width ?? 0;
  const own = await width();
  await page.mouse.wheel(0, -200);
  await expect.poll(width).toBeGreaterThan(own);
  await picture.focus();
  await page.keyboard.press('0');
  await expect.poll(async () => Math.round((await left.boundingBox())?.x ?? 0)).toBe(Math.round(before.x));
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await expect.poll(width).toBeLessThan(before.width);
});

test('resources that need each other in a circle are said to, in words', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const circle = windowBench.replace(
    '"attributes": { "board": "bench", "pins": { "a": "enc-a"',
    '"depends_on": ["left"], $&',
  );
  await configure.replaceText(circle);
  await configure.showView('Form');
  await configure.resource('All resources').click();
  await expect(configure.middle).toContainText('wheel, left need each other in a circle, so none of them can start.');
  await expect(configure.middle.getByRole('link', { name: 'wheel, ready, in a circle' })).toBeVisible();
});
