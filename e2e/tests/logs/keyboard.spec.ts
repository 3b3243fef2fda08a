import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { numbered, writeLogLines } from '../../harness/write-log-lines.ts';
import { LogsPage } from '../../page-objects/logs.ts';

test.use({ config: windowBench });

test('the keys go through the lines, open one with everything it says, and close it', async ({ page, machine }) => {
  const logs = new LogsPage(page);
  const client = new MachineClient(machine);
  await writeLogLines(client, numbered('line', 100));
  client.close();
  // Only these: a busy computer has more to say.
  await page.goto(`${machine.url}/#/logs?logger=guest`);
  await expect(logs.line('line 99')).toBeVisible();
  await logs.list.focus();
  const active = async (): Promise<string> => {
    const id = (await logs.list.getAttribute('aria-activedescendant')) ?? '';
    return page.locator(`[id="${id}"]`).innerText();
  };
  await page.keyboard.press('ArrowUp');
  await expect.poll(active).toContain('line 99');
  await page.keyboard.press('ArrowUp');
  await expect.poll(active).toContain('line 98');
  await page.keyboard.press('Enter');
  await expect(logs.line('line 98').getByText('Local time')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Local time')).toHaveCount(0);
  await page.keyboard.press('Home');
  await expect(page.getByText('The log begins here.')).toBeVisible();
  await page.keyboard.press('PageDown');
  await expect(logs.jumpButton).toBeVisible();
  await page.keyboard.press('End');
  await expect(logs.jumpButton).toHaveCount(0);
  await expect.poll(active).toContain('line 99');
});
