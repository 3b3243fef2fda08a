import type { Page } from '@playwright/test';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { LogsPage } from '../../page-objects/logs.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

const codeOf = (screen: string): RegExp => new RegExp(`/assets/${screen}Page-[^/]*\\.js$`);

/** A file is asked for and does not come before `arrive` is called. */
async function holdBack(page: Page, file: RegExp): Promise<{ asked: Promise<unknown>; arrive: () => void }> {
  let arrive = (): void => undefined;
  const gate = new Promise<void>((resolve) => (arrive = resolve));
  await page.route(file, async (route) => {
    await gate;
    await route.continue();
  });
  return { asked: page.waitForRequest(file), arrive };
}

test('Back while a screen is loading returns to the resource that was open', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('right');
  await configure.maxSpeed.fill('150');
  await configure.filter.fill('ri');
  const control = await holdBack(page, codeOf('Control'));
  await new Shell(page).open('Control');
  await control.asked;
  await expect(page).toHaveURL(/#\/control$/);
  await expect(new Shell(page).rail.getByRole('link', { name: 'Control' })).toHaveAttribute('aria-current', 'page');
  await expect(page.getByText('Loading Control')).toBeVisible();
  await page.goBack();
  await expect(configure.maxSpeed).toHaveValue('150');
  control.arrive();
  await page.goForward();
  await expect(new ControlPage(page).card('right')).toBeVisible();
  await page.goBack();
  await expect(configure.heading('right')).toBeVisible();
  await expect(configure.maxSpeed).toHaveValue('150');
  // The screen itself stayed, not only its draft.
  await expect(configure.filter).toHaveValue('ri');
});

test('the screen chosen last is the one that opens, whichever loads first', async ({ page }) => {
  const control = await holdBack(page, codeOf('Control'));
  const logs = await holdBack(page, codeOf('Logs'));
  const shell = new Shell(page);
  await shell.open('Control');
  await shell.open('Logs');
  await Promise.all([control.asked, logs.asked]);
  logs.arrive();
  await expect(new LogsPage(page).textField).toBeVisible();
  const answered = page.waitForResponse(/\/assets\/ControlPage-[^/]*\.js$/);
  control.arrive();
  await (await answered).finished();
  await expect(page).toHaveURL(/#\/logs$/);
  await expect(new LogsPage(page).textField).toBeVisible();
});

test('a search that is still being typed does not call back from the next screen', async ({ page }) => {
  const shell = new Shell(page);
  await shell.open('Logs');
  const logs = new LogsPage(page);
  await expect(logs.textField).toBeVisible();
  const control = await holdBack(page, codeOf('Control'));
  await logs.textField.fill('motor');
  await shell.open('Control');
  await control.asked;
  await expect(logs.textField).toHaveCount(0);
  control.arrive();
  await expect(new ControlPage(page).card('right')).toBeVisible();
  await expect(page).toHaveURL(/#\/control$/);
});

test('a screen whose code does not come says so, and is there after a reload', async ({ page }) => {
  await page.route(/\/assets\/ControlPage-[^/]*\.js$/, (route) => route.abort());
  const shell = new Shell(page);
  await shell.open('Control');
  await expect(page.getByText('Control could not be loaded')).toBeVisible();
  await shell.open('Configure');
  await expect(new ConfigurePage(page).resource('right')).toBeVisible();
  await page.goBack();
  await page.unroute(/\/assets\/ControlPage-[^/]*\.js$/);
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await expect(new ControlPage(page).card('right')).toBeVisible();
});

test.describe('with a problem that no form shows', () => {
  test.use({ config: windowBench.replace('"components": [', '"components": [\n    7,') });

  test('who goes on while its place is looked for is not called back', async ({ page }) => {
    const configure = new ConfigurePage(page);
    await configure.open('right');
    await configure.openProblems();
    await new Shell(page).open('Logs');
    await new Shell(page).open('Configure');
    const problem = configure.problem(/components/).first();
    await expect(problem).toBeVisible();
    // In one task: no frame is drawn between the two.
    await problem.evaluate(async (button: unknown) => {
      const view = globalThis as unknown as {
        readonly location: { hash: string };
        requestAnimationFrame(then: (at: number) => void): void;
      };
      (button as { click(): void }).click();
      await Promise.resolve();
      view.location.hash = '#/logs';
      for (let frame = 0; frame < 40; frame += 1) {
        await new Promise((resolve) => view.requestAnimationFrame(resolve));
      }
    });
    await expect(page).toHaveURL(/#\/logs$/);
  });
});

test('whoever goes elsewhere while the page begins keeps the key that its address had', async ({
  machine,
  context,
}) => {
  const page = await context.newPage();
  const about = await holdBack(page, /\/about\.json$/);
  await page.goto(machine.pageUrl);
  await about.asked;
  await page.goto(`${machine.url}/#/logs`);
  about.arrive();
  await expect(new Shell(page).machine).toContainText('running');
});
