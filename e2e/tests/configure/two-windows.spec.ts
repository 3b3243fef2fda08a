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
  'complaint 5: two windows that edit different resources lose nothing, whichever applies first',
  { tag: '@smoke' },
  async ({ page, context, machine }) => {
    const one = new ConfigurePage(page);
    const other = await secondWindow({ context, machine });
    await one.open('right');
    await one.maxSpeed.fill('150');
    await other.replaceText(windowBench.replace('"celsius": 21.5', '"celsius":  30.0'));
    await other.review();
    await other.applyPlan();
    await expect(one.conflict).toBeVisible();
    await expect(one.conflictParts).toHaveText([/right\s*changed here/, /climate\s*changed there/]);
    await expect(one.maxSpeed).toHaveValue('150');
    await checkLook(page, 'configure-merge');
    await one.mergeButton.click();
    await expect(one.conflict).toBeHidden();
    await one.review();
    await one.applyPlan();
    await expect(one.bar).toContainText('Applied');
    const both = windowBench
      .replace('"celsius": 21.5', '"celsius":  30.0')
      .replace('"max_rpm": 120 }\n    }', '"max_rpm": 150 }\n    }');
    expect(await readFile(machine.configPath, 'utf8')).toBe(both);
    // The other way round: the window that was first is now the later one.
    await other.open('left');
    await other.openText();
    await expect(other.editor).toContainText('"max_rpm": 150');
    await other.replaceText(both.replace('"encoder": "wheel"', '"encoder":"wheel"'));
    await one.maxSpeed.fill('90');
    await one.review();
    await one.applyPlan();
    await expect(other.conflict).toBeVisible();
    await other.mergeButton.click();
    await other.review();
    await other.applyPlan();
    await expect(other.bar).toContainText('Applied');
    const last = both
      .replace('"max_rpm": 150 }\n    }', '"max_rpm": 90 }\n    }')
      .replace('"encoder": "wheel"', '"encoder":"wheel"');
    await expect.poll(() => readFile(machine.configPath, 'utf8')).toBe(last);
  },
);

test('complaint 5: of a resource that both changed a person chooses; nothing is overwritten before', async ({
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
  await expect(one.conflictParts).toHaveText([/right\s*changed here, changed there: choose/]);
  await expect(one.mergeButton).toHaveAttribute('aria-disabled', 'true');
  await expect(one.reviewButton).toHaveAttribute('aria-disabled', 'true');
  await one.conflictParts.getByRole('button', { name: 'Show both' }).click();
  await expect(one.conflictParts).toContainText('"max_rpm": 80');
  await expect(one.conflictParts).toContainText('"max_rpm": 150');
  await checkLook(page, 'configure-conflict');
  await one.conflictParts.getByRole('button', { name: 'Mine' }).click();
  await one.mergeButton.click();
  expect(await readFile(machine.configPath, 'utf8')).toContain('"max_rpm": 80');
  await one.review();
  await one.applyPlan();
  await expect(one.bar).toContainText('Applied');
  await expect(other.maxSpeed).toHaveValue('150');
  // The merge was a step like any other: what was there before it can be had again.
  await one.undoButton.click();
  await expect(one.reviewButton).toBeVisible();
});

test('complaint 5: each window keeps its own draft over a reload', async ({ page, context, machine }) => {
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
