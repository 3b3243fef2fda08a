import { readFile } from 'node:fs/promises';
import { expect, test } from '../../fixtures/data-test.ts';

const at = Date.UTC(2026, 10, 21, 10);
const readings = Array.from({ length: 1_200 }, (_, index) => ({
  at: at + index * 1_000,
  values: { celsius: index / 4, fan: index % 2 === 0 ? 'high' : 'low' },
}));

test('a query is typed and run by the keyboard, its rows are shown and saved, and its address has it', async ({
  page,
  captured,
  data,
}) => {
  await captured.readings(readings);
  await data.openSource(/climate/);
  await data.openQuery();
  await expect(data.query.box).toHaveValue(/AND component_name = 'climate'/);
  const sql =
    'SELECT data.readings.fan AS fan, avg(data.readings.celsius) AS mean, min(time_received) AS first\n' +
    "FROM readings WHERE component_name = 'climate' GROUP BY fan ORDER BY fan";
  await data.query.run(sql);
  await expect(data.query.pane.getByText(/^2 rows of 1,200 readings in [\d.]+ m?s$/)).toBeVisible();
  expect(await data.query.table()).toEqual([
    ['fan', 'mean', 'first'],
    ['high', '149.75', '2026-11-21T10:00:00.000Z'],
    ['low', '150', '2026-11-21T10:00:01.000Z'],
  ]);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    data.query.pane.getByRole('button', { name: 'Save as CSV' }).click(),
  ]);
  expect(await readFile(await file.path(), 'utf8')).toBe(
    'fan,mean,first\r\nhigh,149.75,2026-11-21T10:00:00.000Z\r\nlow,150,2026-11-21T10:00:01.000Z\r\n',
  );
  await page.reload();
  await expect(data.query.box).toHaveValue(sql);
});

test('a long result is cut and says so, and the file has more of it', async ({ page, captured, data }) => {
  await captured.readings(readings);
  await data.open();
  await data.openQuery();
  await data.query.run('SELECT data.readings.celsius AS celsius FROM readings ORDER BY time_received');
  await expect(data.query.pane.getByText(/^Only the first 1,000 rows are shown/)).toBeVisible();
  await expect(data.query.result.getByRole('row')).toHaveCount(1_001);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    data.query.pane.getByRole('button', { name: 'Save as CSV' }).click(),
  ]);
  expect((await readFile(await file.path(), 'utf8')).split('\r\n')).toHaveLength(1_202);
  await expect(data.query.pane.getByText('1,200 rows saved.')).toBeVisible();
});

test('a mistake is told at its place, and what would change data is refused', async ({ captured, data }) => {
  await captured.readings(readings.slice(0, 5));
  await data.open();
  await data.openQuery();
  await data.query.run('SELECT component_name,\n  nope\nFROM readings');
  await expect(data.query.pane.getByText(/^Line 2, column 3: .*"nope" not found/)).toBeVisible();
  await expect(data.query.box).toHaveAttribute('aria-invalid', 'true');
  const cursor = await data.query.box.evaluate(
    (box) => (box as unknown as { readonly selectionStart: number }).selectionStart,
  );
  expect(cursor).toBe('SELECT component_name,\n  '.length);
  await data.query.run('DROP TABLE readings');
  await expect(data.query.pane.getByText(/^Only a SELECT is answered here/)).toBeVisible();
  await data.query.run('SELECT count(*) AS n FROM readings');
  await expect(data.query.result).toBeVisible();
  expect(await data.query.table()).toEqual([['n'], ['5']]);
  await expect(data.query.box).not.toHaveAttribute('aria-invalid');
});

test('a query that takes long is stopped', async ({ captured, data }) => {
  await captured.readings(readings.slice(0, 5));
  await data.open();
  await data.openQuery();
  await data.query.run('SELECT sum(hash(range) % 7) FROM range(1000000000000)');
  await expect(data.query.pane.getByText('Running.')).toBeVisible();
  await data.query.pane.getByRole('button', { name: 'Stop' }).click();
  await expect(data.query.pane.getByText('Running.')).toHaveCount(0);
  await data.query.run('SELECT 1 AS one');
  await expect(data.query.result.getByRole('columnheader', { name: 'one' })).toBeVisible();
});
