import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';

/** Odd spacing, spellings of numbers, keys of another version: all of it somebody's. */
const handwritten = `{ "network": {"bind_address": "localhost:0"},
  "future": { "kept" : [1.50, 2e3] },
  "components": [
    {"name":"bench",  "api":"core:component:board", "model":"fake", "attributes":{"fail_new":false,"warp":9.0}},
    { "name": "right", "api": "rdk:component:motor", "model": "fake",
      "attributes": { "max_rpm": 120.0, "max_power_pct":1.0 }, "colour": "red" }
  ]
}
`;
test.use({ config: handwritten });

test('changing a field leaves every other byte of the file as it was', async ({ page, machine }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  await configure.open('right');
  await form.field('Max speed').fill('130');
  await configure.review();
  await configure.applyPlan();
  await expect(configure.bar).toContainText('Applied');
  expect(await readFile(machine.configPath, 'utf8')).toBe(handwritten.replace('120.0', '130'));
});

test('keys of another version are shown, kept, and go only when told to', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  await configure.open('bench');
  await expect(form.otherKeys).toContainText('warp');
  await expect(form.choice('Fail at start', 'no')).toBeVisible();
  await form.otherKeys.getByRole('button', { name: 'Remove warp' }).click();
  await expect(form.otherKeys).toBeHidden();
  await configure.open('right');
  await expect(form.otherKeys).toContainText('colour');
  await configure.openText();
  await expect(configure.editor).toContainText('"attributes":{"fail_new":false}');
  await expect(configure.editor).toContainText('"kept" : [1.50, 2e3]');
});

test('JSON in place that does not parse yet is kept in its field and not written', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  await configure.open('bench');
  await form.json('warp').click();
  await page.keyboard.press('End');
  await page.keyboard.type(', [');
  await expect(form.otherKeys).toContainText('Not in the draft yet');
  await expect(configure.bar).toContainText('Everything is applied');
});
