import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { startServer } from '../../harness/server-process.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';
import { Palette } from '../../page-objects/palette.ts';

test.use({ config: windowBench, permissions: ['clipboard-read', 'clipboard-write'] });

async function fillClipboard(page: Page, text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
}

/** A machine with a board of the same name, and with numbers in a spelling of their own. */
const other = `{
  "network": { "bind_address": "localhost:0" },
  "components": [
    {"name": "bench", "api": "core:component:board", "model": "fake", "notes": "the other one"}
  ]
}
`;

test(
  'what is copied in the window of one machine is pasted in that of another, with new names and their references',
  { tag: '@smoke' },
  async ({ page, context }) => {
    const second = await startServer({ config: other });
    try {
      const from = new ConfigurePage(page);
      await from.open('bench');
      await from.resource('right').click({ modifiers: ['Shift'] });
      await expect(from.selection).toContainText('4 selected');
      await page.keyboard.press('ControlOrMeta+c');
      await expect(from.said('Copied 4 resources.')).toBeVisible();

      const to = new ConfigurePage(await context.newPage());
      await to.page.goto(second.pageUrl);
      await to.resource('bench').waitFor();
      await to.paste();
      await expect(to.pasteDialog.entries).toHaveCount(4);
      await expect(to.pasteDialog.dialog).toContainText('becomes bench-2');
      await checkLook(to.page, 'configure-paste');
      await to.pasteDialog.entry('left').uncheck();
      await to.pasteDialog.add.click();
      await expect(to.heading('bench-2')).toBeVisible();
      await expect(to.resource('left')).toBeHidden();
      await expect(to.undoButton).toHaveAccessibleName('Undo: paste 3 resources');
      await to.review();
      await to.applyPlan();
      await expect(to.bar).toContainText('Applied');
      const applied = JSON.parse(await readFile(second.configPath, 'utf8')) as {
        components: { name: string; attributes?: { board?: string } }[];
      };
      expect(applied.components.map(({ name, attributes }) => [name, attributes?.board])).toEqual([
        ['bench', undefined],
        ['bench-2', undefined],
        ['wheel', 'bench-2'],
        ['right', 'bench-2'],
      ]);
    } finally {
      await second.stop();
    }
  },
);

test('a missing dependency is named, and an equal entry is not added again', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('right');
  await configure.choose('Copy');
  await expect(configure.said('Copied right.')).toBeVisible();
  await configure.resource('right').focus();
  await configure.paste();
  await expect(configure.pasteDialog.dialog).toContainText('Already here, with the same settings');
  await expect(configure.pasteDialog.entry('right')).not.toBeChecked();
  await expect(configure.pasteDialog.add).toBeDisabled();
  await page.keyboard.press('Escape');

  const motor = { name: 'motor-1', api: 'core:component:motor', model: 'gpio', attributes: { board: 'board-1' } };
  await fillClipboard(page, JSON.stringify(motor));
  await configure.paste();
  await expect(configure.pasteDialog.dialog).toContainText('motor-1 needs board-1, which is not here');
  await expect(configure.bar).toContainText('Everything is applied');
  await configure.pasteDialog.add.click();
  await expect(configure.heading('motor-1')).toBeVisible();
  await configure.undoButton.click();
  await expect(configure.resource('motor-1')).toBeHidden();
  await expect(configure.bar).toContainText('Everything is applied');
});

test('numbers keep their spelling from one text to the other', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.resource('left').waitFor();
  const written = '[{"name":"slow","api":"core:component:motor","model":"fake","attributes":{"max_rpm":1.20e2}}]';
  await fillClipboard(page, written);
  await configure.paste();
  await configure.pasteDialog.add.click();
  await expect(configure.heading('slow')).toBeVisible();
  await configure.openText();
  await expect(configure.editor).toContainText('"max_rpm": 1.20e2');
});

test('what is no JSON has a line and a next step, and can be pasted again into the dialog', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.resource('left').waitFor();
  await fillClipboard(page, '{\n  "name": "x",\n  "model" "fake"\n}');
  await configure.paste();
  await expect(configure.pasteDialog.dialog).toContainText('Line 3:');
  await expect(configure.pasteDialog.dialog).toContainText('copy it again');
  await fillClipboard(page, '{"name": "x", "model": "fake", "type": "motor"}');
  await page.keyboard.press('ControlOrMeta+v');
  await expect(configure.pasteDialog.entry('x')).toBeChecked();
});

test('pasting into a text field stays there', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.resource('left').waitFor();
  await fillClipboard(page, 'right');
  await configure.filter.focus();
  await page.keyboard.press('ControlOrMeta+v');
  await expect(configure.filter).toHaveValue('right');
  await expect(configure.pasteDialog.dialog).toBeHidden();
});

test('the palette pastes, and without a clipboard it says which keys to press', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.resource('left').waitFor();
  const motor = '{"name": "x", "api": "core:component:motor", "model": "fake"}';
  await fillClipboard(page, motor);
  await new Palette(page).run('Paste resources');
  await expect(configure.pasteDialog.entry('x')).toBeChecked();
  await page.keyboard.press('Escape');
  await page.evaluate("navigator.clipboard.readText = () => Promise.reject(new Error('not allowed'))");
  await new Palette(page).run('Paste resources');
  await expect(configure.pasteDialog.dialog).toContainText('Press Ctrl V now');
  await page.keyboard.press('ControlOrMeta+v');
  await expect(configure.pasteDialog.entry('x')).toBeChecked();
});
