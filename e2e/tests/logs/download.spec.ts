import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/machine-test.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { numbered, writeLogLines } from '../../harness/write-log-lines.ts';
import { LogsPage } from '../../page-objects/logs.ts';

test.use({ config: windowBench, permissions: ['clipboard-read', 'clipboard-write'] });

test('copy and download give exactly what the filter shows', async ({ page, machine }) => {
  const client = new MachineClient(machine);
  await writeLogLines(client, [...numbered('pump', 40), ...numbered('valve', 40)]);
  client.close();
  await page.goto(`${machine.url}/#/logs?text=pump`);
  const logs = new LogsPage(page);
  await expect(logs.line('pump 39')).toBeVisible();
  const wanted = Array.from({ length: 40 }, (_, index) => `pump ${index}`);

  await logs.chooseExport('Copy the lines shown');
  await expect(page.getByText('40 lines copied.')).toBeVisible();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(
    copied
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[3]),
  ).toEqual(wanted);

  const [text] = await Promise.all([page.waitForEvent('download'), logs.chooseExport('Download as text')]);
  expect(text.suggestedFilename()).toMatch(/^armature-log-.*Z\.log$/);
  expect(await readFile(await text.path(), 'utf8')).toBe(copied);

  const [json] = await Promise.all([page.waitForEvent('download'), logs.chooseExport('Download as JSON lines')]);
  const lines = (await readFile(await json.path(), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual(wanted);
});
