import { readFile } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from '../../fixtures/data-test.ts';
import { roomReadings, type CapturedReading } from '../../harness/captured-data.ts';

const begin = { at: Date.UTC(2026, 10, 21, 10), stepMs: 1_000 };

/** Readings the last of which have a field more. */
function readings(count: number): CapturedReading[] {
  return Array.from({ length: count }, (_, index) => ({
    at: begin.at + index * begin.stepMs,
    values: { celsius: index / 4, note: 'a "b", c', ...(index >= count - 2 ? { late: true } : {}) },
  }));
}

test('a table has a column for each field and a line for each reading that the filter shows', async ({
  page,
  captured,
  data,
}) => {
  // As in a browser that cannot write to files.
  await page.addInitScript('delete window.showSaveFilePicker');
  await page.reload();
  await captured.readings(readings(600));
  await data.openSource(/climate/);
  await data.export('CSV table');
  await expect(
    data.dialog.getByText('This browser keeps the file in memory until it is complete, so it can have 268 MB at most.'),
  ).toBeVisible();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    data.dialog.getByRole('button', { name: 'Save the file' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^climate-Readings-.*Z\.csv$/);
  await expect(data.dialog.getByText('600 readings saved')).toBeVisible();
  const lines = (await readFile(await file.path(), 'utf8')).split('\r\n');
  expect(lines).toHaveLength(602);
  expect(lines[0]).toBe('time,readings.celsius,readings.note,readings.late');
  expect(lines[5]).toBe('2026-11-21T10:00:04.000Z,1,"a ""b"", c",');
  expect(lines[600]).toBe('2026-11-21T10:09:59.000Z,149.75,"a ""b"", c",true');
  await data.dialog.getByRole('button', { name: 'Close' }).click();

  await page.goto(`${page.url()}&from=2026-11-21T10:01:00Z&to=2026-11-21T10:02:00Z`);
  await expect(data.rows).toHaveCount(50);
  await data.export('JSON lines');
  const [part] = await Promise.all([
    page.waitForEvent('download'),
    data.dialog.getByRole('button', { name: 'Save the file' }).click(),
  ]);
  const objects = (await readFile(await part.path(), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { time: string; resource: string; payload: unknown });
  expect(objects).toHaveLength(60);
  expect(objects[0]).toMatchObject({
    time: '2026-11-21T10:01:00.000Z',
    resource: 'climate',
    payload: { readings: { celsius: 15, note: 'a "b", c' } },
  });
});

test('a Parquet file has a typed column for each field, as another program reads it', async ({
  page,
  captured,
  data,
}) => {
  await page.addInitScript('delete window.showSaveFilePicker');
  await page.reload();
  await captured.readings(readings(600));
  await data.openSource(/climate/);
  await data.export('Parquet file');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    data.dialog.getByRole('button', { name: 'Save the file' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^climate-Readings-.*Z\.parquet$/);
  await expect(data.dialog.getByText('600 readings saved')).toBeVisible();
  const connection = await (await DuckDBInstance.create()).connect();
  const rows = async (sql: string): Promise<unknown[]> =>
    (await connection.runAndReadAll(`${sql} FROM read_parquet($1)`, [await file.path()])).getRowsJson();
  expect(await rows('SELECT typeof(ANY_VALUE(COLUMNS(*)))')).toEqual([
    ['TIMESTAMP WITH TIME ZONE', 'DOUBLE', 'VARCHAR', 'BOOLEAN'],
  ]);
  expect(
    await rows(
      'SELECT count(*)::INT, sum("readings.celsius"), count("readings.late")::INT, epoch_ms(min(time))::DOUBLE',
    ),
  ).toEqual([[600, 44_925, 2, begin.at]]);
});

test('a large export goes to a file that the person chose, and is given up at once', async ({
  page,
  captured,
  data,
}) => {
  test.slow();
  // A file of the browser's own stands for one that a person would choose.
  await page.addInitScript(`window.showSaveFilePicker = async ({ suggestedName }) => {
    window.chosen = suggestedName;
    return (await navigator.storage.getDirectory()).getFileHandle('export', { create: true });
  }`);
  await page.reload();
  await captured.readings(roomReadings(Date.now(), 40_000, 100));
  await data.openSource(/climate/);
  await data.export('JSON lines');
  await data.dialog.getByRole('button', { name: 'Save the file' }).click();
  await expect(data.dialog.getByText('40,000 readings saved')).toBeVisible({ timeout: 60_000 });
  const written = (): Promise<number> =>
    page.evaluate<number>(`(async () => {
      const handle = await (await navigator.storage.getDirectory()).getFileHandle('export');
      return (await (await handle.getFile()).text()).trimEnd().split('\\n').length;
    })()`);
  expect(await written()).toBe(40_000);
  expect(await page.evaluate<string>('window.chosen')).toMatch(/\.jsonl$/);
  await data.dialog.getByRole('button', { name: 'Close' }).click();

  await data.export('CSV table');
  await data.dialog.getByRole('button', { name: 'Save the file' }).click();
  await expect(data.dialog.getByText(/readings, .*, up to /)).toBeVisible();
  await data.dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  // Nothing of the second is in the file: what was there stays.
  expect(await written()).toBe(40_000);
});
