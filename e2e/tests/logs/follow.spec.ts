import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { numbered, writeLogLines } from '../../harness/write-log-lines.ts';
import { LogsPage } from '../../page-objects/logs.ts';
import { Shell } from '../../page-objects/shell.ts';

test.use({ config: windowBench });

test('scrolling up stops following and counts what is new; jumping to the end follows again', async ({
  page,
  machine,
}) => {
  await new Shell(page).open('Logs');
  const logs = new LogsPage(page);
  const client = new MachineClient(machine);
  try {
    await writeLogLines(client, numbered('first', 300));
    await expect(logs.line('first 299')).toBeVisible();
    await logs.expectAtEnd();
    await logs.wheel(-2_000);
    await expect(logs.jumpButton).toHaveText('Jump to the end');
    const read = /first \d+/.exec(await logs.line('first').nth(15).innerText())?.[0] ?? '';
    const top = await logs.line(new RegExp(`${read}$`)).boundingBox();
    await writeLogLines(client, numbered('second', 70));
    await expect(logs.jumpButton).toHaveText('70 new, jump to the end');
    // What is read stays where it is.
    expect(await logs.line(new RegExp(`${read}$`)).boundingBox()).toEqual(top);
    await expect(logs.line('second 69')).toHaveCount(0);

    await logs.jumpButton.click();
    await expect(logs.line('second 69')).toBeVisible();
    await writeLogLines(client, numbered('third', 50));
    await expect(logs.line('third 49')).toBeVisible();
    await logs.expectAtEnd();
    await expect(logs.jumpButton).toHaveCount(0);
  } finally {
    client.close();
  }
});
