import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from '../../fixtures/machine-test.ts';
import { DiagnosticsScreen } from '../../page-objects/diagnostics.ts';
import { checkLook } from '../../page-objects/look.ts';

const run = promisify(execFile);

test.describe('what a machine recorded of itself', () => {
  test('is shown as it goes on, for any metric and time, by keyboard too, and exported', async ({ page }) => {
    test.setTimeout(600_000);
    const screen = new DiagnosticsScreen(page);
    await screen.open();
    await expect(page.getByText('recording', { exact: true })).toBeVisible();
    await expect(screen.live).toBeVisible();
    for (const title of ['Processor, whole computer', 'Memory available', 'Longest event-loop delay', 'Calls']) {
      await expect(screen.picture(title)).toHaveAccessibleName(/ to .*Arrow keys/);
      await expect(screen.plot(title).getByText(/^now \S/)).toBeVisible();
    }

    // The cross-hair, by keyboard: the newest stretches have values.
    await screen.picture('Memory available').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect(screen.plot('Memory available').getByText(/^\d{4}-\d\d-\d\d \S+: [\d.]+\s[MG]B/)).toBeVisible();
    await checkLook(page, 'diagnostics');

    await screen.add('threads');
    await expect(screen.plot('process.threads')).toBeVisible();
    await expect(page).toHaveURL(/metric=process\.threads/);
    await screen.remove('Calls');
    await expect(screen.plot('Calls')).toHaveCount(0);

    const download = page.waitForEvent('download');
    await screen.export.click();
    const text = await readFile(await (await download).path(), 'utf8');
    expect(text.split('\n')[0]).toMatch(/^time,system\.cpu\.busy \(%\),.*process\.threads$/);
    expect(text.split('\n')[2]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z,/);

    await screen.range('Last hour');
    await expect(screen.live).toBeVisible();
    await expect(screen.plot('process.threads').getByText(/^now \d+$/)).toBeVisible();
    await checkLook(page, 'diagnostics-hour');
  });

  test('is in a support bundle, which the keyboard saves', async ({ page }) => {
    const screen = new DiagnosticsScreen(page);
    await screen.open();
    // A browser with a dialog of its own for that cannot be driven: it downloads.
    await page.evaluate('delete globalThis.showSaveFilePicker');
    await page.getByRole('button', { name: 'Support bundle' }).focus();
    await page.keyboard.press('Enter');
    await expect(screen.dialog.getByText(/are replaced by \*\*\*/)).toBeVisible();
    await checkLook(page, 'support-bundle');
    await screen.dialog.getByRole('button', { name: 'Last hour' }).press('Enter');
    const download = page.waitForEvent('download');
    await screen.dialog.getByRole('button', { name: 'Save the archive' }).press('Enter');
    const saved = await download;
    expect(saved.suggestedFilename()).toMatch(/^armature-support-\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d\.tar\.gz$/);
    await expect(screen.dialog.getByText(/^The archive is saved, /)).toBeVisible();
    const { stdout } = await run('tar', ['-tzf', await saved.path()]);
    for (const name of ['README.txt', 'configuration.json', 'machine.json', 'log.txt', 'doctor.txt']) {
      expect(stdout).toContain(`/${name}\n`);
    }
    await page.keyboard.press('Escape');
    await expect(screen.dialog).toHaveCount(0);
  });

  test.describe('where nothing is recorded', () => {
    test.use({ serverArgs: ['-ftdc=false'] });

    test('the screen says so, and what turns it on', async ({ page }) => {
      const screen = new DiagnosticsScreen(page);
      await screen.open();
      await expect(page.getByText(/the machine was started with -ftdc=false/)).toBeVisible();
      await expect(screen.plots).toHaveCount(0);
      await expect(screen.live).toHaveCount(0);
      await checkLook(page, 'diagnostics-off');
    });
  });
});
