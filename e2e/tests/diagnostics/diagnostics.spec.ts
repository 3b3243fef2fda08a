import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { DiagnosticsScreen } from '../../page-objects/diagnostics.ts';
import { checkLook } from '../../page-objects/look.ts';

test.describe('what a machine recorded of itself', () => {
  test('is shown as it goes on, for any metric and time, by keyboard too, and exported', async ({ page }) => {
    test.setTimeout(300_000);
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
    await page.setViewportSize({ width: 390, height: 844 });
    await checkLook(page, 'diagnostics-phone');
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
