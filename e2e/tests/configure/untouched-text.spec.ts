import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';

/** As no program writes it: tabs, ends of lines of another system, numbers and keys in their own spelling. */
const odd = windowBench
  .replace('"max_rpm": 120 }\n    }', '"max_rpm" :1.2e2,   "dir_flip":false }\n    }')
  .replace('"celsius": 21.5', '"celsius":   21.50')
  .replaceAll('    {\n      "name": "wheel"', '\t{\n\n      "name": "wheel"')
  .replaceAll('\n', '\r\n');

test.use({ config: odd });

test(
  'an edit in the form changes its value in the file and no other byte',
  { tag: '@smoke' },
  async ({ page, machine }) => {
    const configure = new ConfigurePage(page);
    await configure.open('right');
    await expect(configure.maxSpeed).toHaveValue(/12/);
    await configure.maxSpeed.fill('150');
    await configure.review();
    await configure.applyPlan();
    await expect(configure.bar).toContainText('Applied');
    expect(await readFile(machine.configPath, 'utf8')).toBe(odd.replace('1.2e2', '150'));
  },
);

test('typing in the text changes what is typed and no other byte', async ({ page, machine }) => {
  const configure = new ConfigurePage(page);
  await configure.open('climate');
  await configure.openText();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.type(',');
  await page.keyboard.press('Enter');
  await page.keyboard.type('"notes": "window"');
  await expect(configure.problems).toContainText('No problems');
  await configure.review();
  await configure.applyPlan();
  await expect(configure.bar).toContainText('Applied');
  const written = await readFile(machine.configPath, 'utf8');
  const added = /,\r\n *"notes": "window" ?/.exec(written)?.[0] ?? 'nothing';
  expect(written.replace(added, added.endsWith(' ') ? ' ' : '')).toBe(odd);
});
