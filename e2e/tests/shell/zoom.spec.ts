import type { Page } from '@playwright/test';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkFit } from '../../page-objects/fit.ts';
import { keepPicture } from '../../page-objects/look.ts';
import { Palette } from '../../page-objects/palette.ts';
import { screenNames, Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

/** What is read and pressed in header and rail that is cut off by the window, or lie on each other. */
const misplaced = `(() => {
  const shown = [...document.querySelectorAll('header button, header .name, header .line, nav a, nav button')]
    .map((element) => ({ element, box: element.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 1);
  const name = ({ element }) => element.textContent.trim() || element.getAttribute('aria-label');
  const cut = shown.filter(({ box }) => box.left < 0 || box.right > innerWidth + 0.5 || box.top < 0).map(name);
  const laid = shown.flatMap((one, index) =>
    shown.slice(index + 1).flatMap((other) => {
      const isOver =
        one.box.left < other.box.right - 0.5 &&
        other.box.left < one.box.right - 0.5 &&
        one.box.top < other.box.bottom - 0.5 &&
        other.box.top < one.box.bottom - 0.5;
      return isOver ? [name(one) + ' / ' + name(other)] : [];
    }),
  );
  return { cut, laid, wider: document.documentElement.scrollWidth - innerWidth };
})()`;

async function checkPlaces(page: Page, name: string): Promise<void> {
  const shell = new Shell(page);
  await expect(shell.machine).toContainText('5 of 5 ready');
  for (const screen of screenNames) {
    await shell.open(screen);
    await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible();
    await expect(shell.stopAll).toBeInViewport({ ratio: 1 });
    await checkFit(page, `${screen}, ${name}`);
    expect(await page.evaluate(misplaced), `${screen}, ${name}`).toEqual({ cut: [], laid: [], wider: 0 });
    await keepPicture(page, `shell-${name}-${screen.toLowerCase()}`);
  }
  await new Palette(page).open();
  await expect(shell.stopAll).toBeInViewport({ ratio: 1 });
}

test('at 200 % zoom nothing of the shell is cut off or laid over another', async ({ page }) => {
  await page.setViewportSize({ width: 720, height: 450 });
  await checkPlaces(page, 'zoomed');
});

test('at 200 % zoom a form has at least half of the height between its title and the bar', async ({ page }) => {
  await page.setViewportSize({ width: 720, height: 450 });
  const configure = new ConfigurePage(page);
  await configure.middle.getByRole('button', { name: 'Resources' }).click();
  await configure.open('right');
  const measured = async (): Promise<{ form: number; between: number }> =>
    page.evaluate(`(() => {
      const box = (selector) => document.querySelector(selector).getBoundingClientRect();
      const [form, title, bar] = [box('.middle .form'), box('.middle header'), box('.middle .apply')];
      return { form: form.height, between: bar.top - title.bottom };
    })()`);
  const still = await measured();
  expect(still.form).toBeGreaterThan(still.between / 2);
  // Half of what the window has below its header.
  expect(still.form).toBeGreaterThan((450 - 52) / 2);
  await configure.form.getByRole('textbox', { name: 'Max speed' }).fill('150');
  await expect(configure.bar).toContainText('right');
  await expect(configure.bar).toBeInViewport({ ratio: 1 });
  const changed = await measured();
  expect(changed.form).toBeGreaterThan(changed.between / 2);
  await keepPicture(page, 'shell-zoomed-form');
});

test('at 1280 by 720 nothing of the shell is cut off or laid over another', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await checkPlaces(page, '1280');
});

test('at the width of a phone nothing of the shell is cut off or laid over another, and the machine has its name', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });

  await checkPlaces(page, 'phone');
  const name = await page.evaluate<{ shown: number; whole: number }>(`(() => {
    const { clientWidth, scrollWidth } = document.querySelector('header .name');
    return { shown: clientWidth, whole: scrollWidth };
  })()`);
  expect(name.shown).toBeGreaterThan(1);
  expect(name.shown).toBe(name.whole);
});
