import type { Page } from '@playwright/test';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';

const secret = 'of-the-machine-7c1e';
const typedSecret = 'typed-by-hand-41d0';
const config = windowBench.replace('"celsius": 21.5', `"celsius": 21.5, "gateway_password": "${secret}"`);

test.use({ config });

/** What the browser keeps of drafts when its windows are closed. */
function keptDrafts(page: Page): Promise<string> {
  return page.evaluate<string>(`Object.entries(localStorage)
    .filter(([key]) => key.startsWith('armature.draft.'))
    .map(([, text]) => text)
    .join('\\n')`);
}

test('a draft is back after a reload, whole, and the browser keeps none of its secrets', async ({
  page,
  context,
  machine,
}) => {
  const configure = new ConfigurePage(page);
  page.on('dialog', (dialog) => void dialog.accept());
  const wanted = config.replace('"max_rpm": 120 }\n    }', '"max_rpm": 137 }\n    }');
  await configure.open('climate');
  await configure.replaceText(wanted.replace('"celsius"', `"relay_token": "${typedSecret}", "celsius"`));
  await expect.poll(() => keptDrafts(page)).toContain('137');
  await page.reload();
  await expect(page.getByText('Your changes from before the reload are back.')).toBeVisible();
  await configure.showView('Form');
  await configure.open('right');
  await expect(configure.maxSpeed).toHaveValue('137');
  await configure.open('climate');
  await configure.openText();
  // In the window that they were typed in, the secrets are there too.
  await expect(configure.editor).toContainText(secret);
  await expect(configure.editor).toContainText(typedSecret);
  const kept = await keptDrafts(page);
  expect(kept).toContain('137');
  expect(kept).not.toContain(secret);
  expect(kept).not.toContain(typedSecret);

  // Another window has the machine's secret from the machine; the typed one ended with its window.
  await page.close({ runBeforeUnload: false });
  const next = new ConfigurePage(await context.newPage());
  await next.page.goto(machine.pageUrl);
  await next.showView('Form');
  await next.open('right');
  await expect(next.maxSpeed).toHaveValue('137');
  await next.open('climate');
  await next.openText();
  await expect(next.editor).toContainText(`"gateway_password": "${secret}"`);
  await expect(next.editor).toContainText('"relay_token": ""');
});
