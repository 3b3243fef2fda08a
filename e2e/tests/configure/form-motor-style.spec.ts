import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';

test.use({ config: windowBench });

test(
  'a driver style asks for its own pins only, and those of another come back with it',
  { tag: '@smoke' },
  async ({ page }) => {
    const configure = new ConfigurePage(page);
    const form = new ResourceForm(page);
    await configure.open('right');
    await expect(form.driver('PWM / DIR')).toBeChecked();
    await expect(form.pick('Direction (dir)')).toHaveValue('16');
    await form.chooseDriver('In1 / In2');
    await expect(form.pick('Direction (dir)')).toBeHidden();
    await expect(form.pick('Speed (pwm)')).toBeHidden();
    await form.pick('In1 (a)').fill('11');
    await form.pick('In2 (b)').fill('13');
    await form.chooseDriver('PWM / DIR');
    await expect(form.pick('Direction (dir)')).toHaveValue('16');
    await expect(form.pick('Speed (pwm)')).toHaveValue('15');
    await expect(form.pick('In1 (a)')).toBeHidden();
    await form.chooseDriver('In1 / In2');
    await expect(form.pick('In1 (a)')).toHaveValue('11');
    await expect(configure.bar).toContainText('right is rebuilt');
  },
);

test('a driver style is chosen by keys, and undone as one step', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  await configure.open('left');
  await form.driver('In1 / In2 + PWM').focus();
  await page.keyboard.press('ArrowLeft');
  await expect(form.driver('In1 / In2')).toBeChecked();
  await expect(form.pick('Speed (pwm)')).toBeHidden();
  await page.keyboard.press('ControlOrMeta+z');
  await expect(form.driver('In1 / In2 + PWM')).toBeChecked();
  await expect(form.pick('Speed (pwm)')).toHaveValue('12');
  await expect(configure.bar).toContainText('Everything is applied');
});

test('a style that still lacks a pin says what the driver counts as', async ({ page }) => {
  const configure = new ConfigurePage(page);
  const form = new ResourceForm(page);
  await configure.open('left');
  await form.chooseDriver('In1 / In2');
  await form.chooseDriver('In1 / In2 + PWM');
  await expect(form.pick('Speed (pwm)')).toHaveValue('12');
  await form.pick('Speed (pwm)').fill('');
  await page.keyboard.press('Tab');
  await expect(page.getByText('Until pwm has a pin, the driver is treated as In1 / In2.')).toBeVisible();
});

test.describe('with pins that belong to no driver', () => {
  test.use({
    config: windowBench.replace(
      '"pins": { "dir": "16", "pwm": "15" }, "max_rpm": 120 }\n    }',
      '"pins": { "a": "9", "dir": "16", "pwm": "15" }, "max_rpm": 120 }\n    }',
    ),
  });

  test('they are shown as they are, and choosing a style repairs them', async ({ page }) => {
    const configure = new ConfigurePage(page);
    const form = new ResourceForm(page);
    await configure.open('right');
    await expect(page.getByText('These pins match no driver.')).toBeVisible();
    await expect(form.json('How the driver is wired')).toContainText('"a": "9"');
    await expect(form.field('Max speed, no load')).toHaveValue('120');
    await form.chooseDriver('PWM / DIR');
    await expect(form.pick('Direction (dir)')).toHaveValue('16');
    await expect(page.getByText('These pins match no driver.')).toBeHidden();
    await configure.openText();
    await expect(configure.editor).toContainText('"pins": { "dir": "16", "pwm": "15" }');
  });
});
