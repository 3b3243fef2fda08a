import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { Palette, ShortcutList } from '../../page-objects/palette.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test(
  'every screen works without internet: nothing is asked for elsewhere, no rule of the policy broken',
  { tag: '@smoke' },
  async ({ page, machine }) => {
    const foreign: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(machine.url) && !/^(data|blob):/.test(request.url())) foreign.push(request.url());
    });
    page.on('console', (message) => {
      if (message.type() === 'error' || message.text().startsWith('violation')) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
      console.log('violation of ' + event.violatedDirective + ' by ' + event.blockedURI))`);
    await page.reload();
    const shell = new Shell(page);
    await expect(shell.machine).toContainText('5 of 5 ready');
    for (const screen of ['Control', 'Logs', 'Configure'] as const) {
      await shell.open(screen);
      await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
    }
    await new ConfigurePage(page).openText();
    await new Palette(page).open();
    await page.keyboard.press('Escape');
    await page.getByRole('heading').first().click();
    await new ShortcutList(page).open();
    await page.keyboard.press('Escape');
    expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] });
  },
);
