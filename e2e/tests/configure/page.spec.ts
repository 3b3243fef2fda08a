import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook, keepPicture } from '../../page-objects/look.ts';

test.use({ config: windowBench });

const wrong = windowBench.replace('"ticks_per_rotation": 200\n', '"ticks_per_rotation": -5\n');

test('form and text are two views of one place', { tag: '@smoke' }, async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('right');
  await configure.openText();
  await expect(configure.editor).toBeFocused();
  await expect(configure.middle.locator('.cm-activeLine')).toBeVisible();
  await expect(configure.resource('right')).toHaveAttribute('aria-current', 'page');
  // The cursor goes to the next resource: the form of that one opens.
  for (let line = 0; line < 6; line += 1) await page.keyboard.press('ArrowDown');
  await expect(configure.resource('climate')).toHaveAttribute('aria-current', 'page');
  await configure.showView('Form');
  await expect(configure.heading('climate')).toBeVisible();
  expect(page.url()).toMatch(/\/configure\/resource\/climate$/);
  await page.goBack();
  await expect(configure.editor).toBeVisible();
});

test('a problem is counted at its resource, and leads to the field in the form', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.replaceText(wrong);
  await expect(configure.resource('left')).toContainText('1 problem');
  await configure.open('climate');
  await configure.showView('Form');
  await configure.openProblems();
  await configure.problem(/ticks_per_rotation|Ticks per rotation/).click();
  await expect(configure.heading('left')).toBeVisible();
  await expect(configure.form.getByRole('textbox', { name: 'Ticks per rotation' })).toBeFocused();
  await checkLook(page, 'configure-form-problem');
});

test('a broken text keeps the form, which says so and comes back by itself', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.replaceText(windowBench.replace('"model": "fake",', '"model": "fake"'));
  await configure.showView('Form');
  await configure.open('left');
  await expect(configure.middle).toContainText('The text is not valid');
  await expect(configure.form.getByRole('textbox', { name: 'Ticks per rotation' })).toHaveValue('200');
  await configure.replaceText(windowBench);
  await configure.showView('Form');
  await expect(configure.middle).not.toContainText('The text is not valid');
});

test('a failed resource says why, since when, how often, and when it is tried again', async ({ page, machine }) => {
  const configure = new ConfigurePage(page);
  await machine.writeConfig(windowBench.replace('"fail_new": false', '"fail_new": true'));
  await expect(configure.resource('bench')).toContainText('failed · ');
  await configure.open('bench');
  await expect(configure.condition).toContainText('fail_new');
  await expect(configure.condition).toContainText(/Failed · \d/);
  await expect(configure.condition).toContainText(
    /\d+ (attempt so far|attempts in a row) · (next try in \d+ s|trying now)/,
  );
  await checkLook(page, 'configure-failed');
  await configure.condition.getByRole('link', { name: 'Show warnings and errors' }).click();
  await expect(page).toHaveURL(/#\/logs\?resource=core:component:board\/bench&level=warn/);
});

test('the list is walked with the keyboard', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.filter.fill('motor');
  await expect(configure.resource('bench')).toBeHidden();
  await page.keyboard.press('ArrowDown');
  await expect(configure.resource('left')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(configure.resource('right')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(configure.heading('right')).toBeVisible();
  await configure.filter.fill('wheel');
  await page.keyboard.press('Enter');
  await expect(configure.heading('wheel')).toBeVisible();
});

test('beside the form stand the live values and the last lines of the resource', async ({ page, machine }) => {
  const configure = new ConfigurePage(page);
  await configure.open('climate');
  await expect(configure.beside).toContainText('21.5');
  await configure.open('left');
  await expect(configure.beside).toContainText('rev');
  await expect(configure.beside).toContainText('ready', { ignoreCase: true });
  await checkLook(page, 'configure-form');
  await machine.writeConfig(windowBench.replace('"fail_new": false', '"fail_new": true'));
  await configure.open('bench');
  await expect(configure.beside.getByRole('listitem').filter({ hasText: 'fail_new' }).first()).toBeVisible();
  await configure.beside.getByRole('link', { name: 'All lines' }).click();
  await expect(page).toHaveURL(/#\/logs\?resource=core:component:board\/bench/);
});

test('a resource that is not there says so', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await expect(configure.resource('left')).toBeVisible();
  await page.evaluate("location.hash = '#/configure/resource/nobody'");
  await expect(configure.middle).toContainText('There is no nobody in this configuration.');
  await configure.middle.getByRole('link', { name: 'Show all resources' }).click();
  await expect(configure.heading('Configuration')).toBeVisible();
});

test('a small window has list and details behind buttons: 1280 by 720 at 200 %', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await page.setViewportSize({ width: 1100, height: 720 });
  await configure.open('left');
  await expect(configure.beside).toBeHidden();
  await configure.middle.getByRole('button', { name: 'Details' }).click();
  await expect(configure.beside).toBeVisible();
  await page.setViewportSize({ width: 640, height: 360 });
  await expect(configure.list).toBeHidden();
  await configure.middle.getByRole('button', { name: 'Resources' }).click();
  await configure.resource('right').click();
  await expect(configure.heading('right')).toBeVisible();
  await expect(configure.list).toBeHidden();
  await configure.form.getByRole('textbox', { name: 'Max speed' }).fill('150');
  await expect(configure.bar).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate('document.scrollingElement.scrollWidth <= innerWidth')).toBe(true);
  await keepPicture(page, 'configure-small');
});
