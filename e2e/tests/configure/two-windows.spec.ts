import { readFile } from 'node:fs/promises';
import type { BrowserContext } from '@playwright/test';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import type { ServerProcess } from '../../harness/server-process.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';

test.use({ config: windowBench });

/** A second window on the same machine, in the same browser. */
async function secondWindow({
  context,
  machine,
}: {
  context: BrowserContext;
  machine: ServerProcess;
}): Promise<ConfigurePage> {
  const page = await context.newPage();
  await page.goto(machine.pageUrl);
  return new ConfigurePage(page);
}

test(
  'two windows that edit different fields lose nothing and are not asked, whichever applies first',
  { tag: '@smoke' },
  async ({ page, context, machine }) => {
    const one = new ConfigurePage(page);
    const other = await secondWindow({ context, machine });
    await one.open('right');
    await one.maxSpeed.fill('150');
    // The same motor, another field; and another resource in a layout of its own.
    const theirs = windowBench
      .replace('"celsius": 21.5', '"celsius":  30.0')
      .replace('"max_rpm": 120 }\n    }', '"max_rpm": 120, "pwm_freq":  20000 }\n    }');
    await other.replaceText(theirs);
    await other.review();
    await other.applyPlan();
    await expect(one.takenIn).toContainText('right, climate');
    await expect(one.conflict).toBeHidden();
    await expect(one.maxSpeed).toHaveValue('150');
    await checkLook(page, 'configure-taken-in');
    // What came from elsewhere is no step of this window.
    await one.undoButton.click();
    await expect(one.maxSpeed).toHaveValue('120');
    await expect(one.bar).toContainText('Everything is applied');
    await one.redoButton.click();
    await expect(one.maxSpeed).toHaveValue('150');
    await one.review();
    await one.applyPlan();
    await expect(one.bar).toContainText('Applied');
    const both = theirs.replace('"max_rpm": 120, "pwm_freq"', '"max_rpm": 150, "pwm_freq"');
    expect(await readFile(machine.configPath, 'utf8')).toBe(both);
    // The other way round, with the file as the other editor: from what was applied now, not from an earlier text.
    await expect(other.editor).toContainText('"max_rpm": 150');
    await other.open('left');
    await other.replaceText(both.replace('"encoder": "wheel"', '"encoder":"wheel"'));
    await machine.writeConfig(both.replace('"max_rpm": 150,', '"max_rpm": 90,'));
    await expect(other.takenIn).toContainText('right');
    await other.review();
    await other.applyPlan();
    await expect(other.bar).toContainText('Applied');
    const last = both.replace('"max_rpm": 150,', '"max_rpm": 90,').replace('"encoder": "wheel"', '"encoder":"wheel"');
    await expect.poll(() => readFile(machine.configPath, 'utf8')).toBe(last);
  },
);

test('of a field that both changed a person chooses; Apply waits, and nothing is overwritten before', async ({
  page,
  context,
  machine,
}) => {
  const one = new ConfigurePage(page);
  const other = await secondWindow({ context, machine });
  await one.open('right');
  await one.maxSpeed.fill('150');
  await other.open('right');
  await other.maxSpeed.fill('80');
  await other.review();
  await other.applyPlan();
  await expect(one.conflictFields).toHaveText([/^right max_rpm\s*Yours\s*150\s*Theirs\s*80$/]);
  await expect(one.conflict.getByRole('button')).toHaveCount(2);
  await expect(one.conflict.getByRole('button', { pressed: true })).toHaveCount(0);
  await expect(one.reviewButton).toHaveAttribute('aria-disabled', 'true');
  await checkLook(page, 'configure-conflict');
  const yours = one.conflict.getByRole('button', { name: 'Yours 150' });
  await yours.focus();
  await page.keyboard.press('Enter');
  await expect(one.conflict).toBeHidden();
  expect(await readFile(machine.configPath, 'utf8')).toContain('"max_rpm": 80');
  await one.review();
  await one.applyPlan();
  await expect(one.bar).toContainText('Applied');
  await expect(other.maxSpeed).toHaveValue('150');
  // The choice was a step like any other: the other value can be had again.
  await one.undoButton.click();
  await expect(one.maxSpeed).toHaveValue('80');
  await expect(one.reviewButton).toBeVisible();
});

test('each window keeps its own draft over a reload', async ({ page, context, machine }) => {
  const one = new ConfigurePage(page);
  const other = await secondWindow({ context, machine });
  for (const [configure, speed] of [
    [one, '150'],
    [other, '80'],
  ] as const) {
    configure.page.on('dialog', (dialog) => void dialog.accept());
    await configure.open('right');
    await configure.maxSpeed.fill(speed);
    await expect(configure.reviewButton).toBeVisible();
  }
  await one.page.reload();
  await other.page.reload();
  await expect(one.maxSpeed).toHaveValue('150');
  await expect(other.maxSpeed).toHaveValue('80');
});
