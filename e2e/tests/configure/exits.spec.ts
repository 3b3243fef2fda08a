import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('reload, another page and closing ask while something is not applied; staying keeps it', async ({
  page,
  machine,
}) => {
  const configure = new ConfigurePage(page);
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    // Counted when it is gone: while it is there, the browser drops the next attempt to leave.
    void dialog.dismiss().then(() => asked.push(dialog.type()));
  });
  await configure.open('right');
  await configure.maxSpeed.fill('150');
  await expect(configure.reviewButton).toBeVisible();
  await page.evaluate('void setTimeout(() => location.reload())');
  await expect.poll(() => asked).toEqual(['beforeunload']);
  await page.evaluate(`void setTimeout(() => (location.href = ${JSON.stringify(machine.url)} + '/?again'))`);
  await expect.poll(() => asked.length).toBe(2);
  await page.close({ runBeforeUnload: true });
  await expect.poll(() => asked.length).toBe(3);
  expect(page.isClosed()).toBe(false);
  await expect(configure.maxSpeed).toHaveValue('150');
});

test('nothing is asked while everything is applied', async ({ page }) => {
  const configure = new ConfigurePage(page);
  let asked = 0;
  page.on('dialog', (dialog) => {
    asked += 1;
    void dialog.accept();
  });
  await configure.open('right');
  await configure.maxSpeed.fill('150');
  await configure.undoButton.click();
  await expect(configure.bar).toContainText('Everything is applied');
  await page.reload();
  await expect(configure.bar).toContainText('Everything is applied');
  expect(asked).toBe(0);
});

test('back, forward and other screens leave the draft as it is', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('right');
  await configure.maxSpeed.fill('150');
  await new Shell(page).open('Control');
  await page.goBack();
  await expect(configure.maxSpeed).toHaveValue('150');
  await page.goBack();
  await page.goForward();
  await expect(configure.maxSpeed).toHaveValue('150');
  await expect(configure.reviewButton).toBeVisible();
});

test('the next window has the draft of one that crashed', async ({ page, context, machine }) => {
  const configure = new ConfigurePage(page);
  await configure.open('right');
  await configure.maxSpeed.fill('150');
  await expect
    .poll(() => page.evaluate<boolean>("Object.values(localStorage).some((text) => text.includes('150'))"))
    .toBe(true);
  // Closed as a crash closes it: without a word to the page.
  await page.close({ runBeforeUnload: false });
  const next = new ConfigurePage(await context.newPage());
  await next.page.goto(machine.pageUrl);
  await expect(next.page.getByText('Your changes from before the reload are back.')).toBeVisible();
  await next.open('right');
  await expect(next.maxSpeed).toHaveValue('150');
});
