import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkAccess, keepPicture } from '../../page-objects/look.ts';
import { Palette } from '../../page-objects/palette.ts';

/** All on one line, with numbers and keys in a spelling of their own. */
const oneLine = windowBench
  .replace(/\n\s*/g, '')
  .replace('21.5', '21.50')
  .replace('"max_rpm": 120', '"max_rpm": 1.2e2');

test.use({ config: oneLine });

test('Format lays out the text in one step, and keeps every number, key and the place of the cursor', async ({
  page,
  machine,
}) => {
  const configure = new ConfigurePage(page);
  await configure.open('climate');
  await configure.openText();
  await expect(configure.lines).toHaveCount(1);
  await page.keyboard.press('ControlOrMeta+f');
  await page.keyboard.type('celsius');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await configure.formatButton.click();
  await expect(configure.formatSaid).toHaveText('Formatted');
  await expect(configure.activeLine).toHaveText('"celsius": 21.50');
  await expect(configure.activeLine).toBeInViewport();
  await expect(configure.bar).toContainText('Only the text changes');
  for (const [width, height] of [
    [1440, 900],
    [1024, 768],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await checkAccess(page, '.middle', `format, ${width} wide`);
    await keepPicture(page, `configure-format-${width}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await configure.formatButton.click();
  await expect(configure.formatSaid).toHaveText('Already formatted');
  await configure.review();
  await configure.applyPlan();
  await expect(configure.bar).toContainText('Applied');
  const written = await readFile(machine.configPath, 'utf8');
  expect(written.replace(/\s/g, '')).toBe(oneLine.replace(/\s/g, ''));
  expect(written).toContain('\n          "celsius": 21.50\n');
  await configure.editor.focus();
  await page.keyboard.press('ControlOrMeta+z');
  await expect(configure.lines).toHaveCount(1);
  await expect(configure.formatSaid).toHaveText('');
});

test('Format is a command with a shortcut, and says why it cannot format', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.openText();
  await configure.editor.focus();
  await page.keyboard.press('Alt+Shift+f');
  await expect(configure.formatSaid).toHaveText('Formatted');
  await configure.undoButton.click();
  await expect(configure.lines).toHaveCount(1);
  await new Palette(page).run('Format the JSON');
  await expect(configure.formatSaid).toHaveText('Formatted');
  await configure.replaceText('{ "components": [ }');
  await expect(configure.formatButton).toHaveAttribute('aria-disabled', 'true');
  await expect(configure.formatButton).toHaveAttribute('title', /The text is not valid JSON\. Line 1: /);
  await configure.formatButton.press('Enter');
  await expect(configure.formatSaid).toContainText('The text is not valid JSON. Line 1: ');
  await expect(configure.editor).toContainText('{ "components": [ }');
});

test('a resource added to a text of one line has lines of its own, and no other byte changes', async ({
  page,
  machine,
}) => {
  const configure = new ConfigurePage(page);
  await configure.addButton.click();
  await configure.addDialog.search.fill('fake sensor');
  await configure.addDialog.choose('sensor', 'fake');
  await configure.addDialog.name.fill('outside');
  await configure.addDialog.add.click();
  await expect(configure.heading('outside')).toBeVisible();
  await configure.review();
  await configure.applyPlan();
  await expect(configure.bar).toContainText('Applied');
  const written = await readFile(machine.configPath, 'utf8');
  const added = /,\n {4}\{\n {6}"name": "outside",\n[^]*?\n {4}\}/.exec(written)?.[0] ?? 'nothing';
  expect(written.replace(added, '')).toBe(oneLine);
});
