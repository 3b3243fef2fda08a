import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';

test.use({ config: windowBench });

test(
  'a value out of range is named at its field with what is allowed, once, and a button mends it',
  { tag: '@smoke' },
  async ({ page }) => {
    const configure = new ConfigurePage(page);
    const form = new ResourceForm(page);
    await configure.open('right');
    await form.field('Highest power').fill('0.03');
    const field = form.around('Highest power');
    await expect(field).toContainText('"max_power_pct" is 0.03; allowed is 0.06 to 1.');
    await expect(configure.resource('right')).toContainText('1 problem');
    await expect(field.getByText('allowed is 0.06 to 1')).toHaveCount(1);
    await field.getByRole('button', { name: 'Use 0.06' }).click();
    await expect(form.field('Highest power')).toHaveValue('0.06');
    await expect(field).not.toContainText('allowed is');
    await expect(configure.bar).toContainText('max_power_pct');
  },
);

test.describe('with a misspelled name and key', () => {
  test.use({
    config: windowBench
      .replace('"board": "bench", "pins": { "dir"', '"board": "bnch", "pins": { "dir"')
      .replace('"max_rpm": 120 }\n    }', '"max_rmp": 120 }\n    }'),
  });

  test('both are said where they are, and mended from there', async ({ page }) => {
    const configure = new ConfigurePage(page);
    const form = new ResourceForm(page);
    await configure.open('right');
    await expect(form.pick('Board')).toHaveValue('bnch');
    await form.around('Board').getByRole('button', { name: 'Did you mean bench?' }).click();
    await expect(form.pick('Board')).toHaveValue('bench');
    await form.otherKeys.getByRole('button', { name: 'Rename it to max_rpm' }).click();
    await expect(form.field('Max speed, no load')).toHaveValue('120');
    await expect(form.otherKeys).toBeHidden();
    await configure.openText();
    await expect(configure.editor).toContainText('"max_rpm": 120');
  });
});

test.describe('with a number where a pin is text', () => {
  test.use({
    config: windowBench.replace(
      '"dir": "16", "pwm": "15" }, "max_rpm": 120 }\n    }',
      '"dir": 16, "pwm": "15" }, "max_rpm": 120 }\n    }',
    ),
  });

  test('the field shows it, says what it takes, and offers it in that form', async ({ page }) => {
    const configure = new ConfigurePage(page);
    const form = new ResourceForm(page);
    await configure.open('right');
    await expect(form.around('Direction (dir)')).toContainText('pins.dir is 16: it takes text in double quotes.');
    await form.around('Direction (dir)').getByRole('button', { name: 'Use "16"' }).click();
    await expect(form.around('Direction (dir)')).not.toContainText('it takes text');
  });
});
