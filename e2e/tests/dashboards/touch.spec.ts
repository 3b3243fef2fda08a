import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { boxOf, Dashboards } from '../../page-objects/dashboards.ts';
import { Finger } from '../../page-objects/finger.ts';

test.use({ config: windowBench, hasTouch: true, viewport: { width: 390, height: 844 } });

test('a finger drags a tile by its grip, and scrolls the dashboard elsewhere', async ({ page }) => {
  const dashboards = new Dashboards(page);
  await dashboards.open();
  await dashboards.add('Bench');
  for (const text of ['One', 'Two', 'Three']) await dashboards.addNote(text);
  await dashboards.addCards('left');
  const finger = await Finger.of(page);
  const three = await boxOf(dashboards.bar('Three'));

  await finger.press(await boxOf(dashboards.bar('One').locator('.grip')));
  await finger.moveTo(three.x + 20, three.y + 10);
  await finger.moveTo(three.x + 30, three.y + three.height + 20);
  await expect(dashboards.tile('Three')).toHaveClass(/after/);
  await finger.lift();
  await expect.poll(() => dashboards.names()).toEqual(['Two', 'Three', 'One', 'left']);

  const name = await boxOf(dashboards.bar('Three').locator('.name'));
  await finger.press(name);
  await finger.moveTo(name.x, name.y - 60);
  await finger.moveTo(name.x, name.y - 160);
  await finger.lift();
  await expect.poll(async () => (await boxOf(dashboards.bar('Three').locator('.name'))).y).toBeLessThan(name.y - 60);
  expect(await dashboards.names()).toEqual(['Two', 'Three', 'One', 'left']);
});
