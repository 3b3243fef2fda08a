import { systemClock } from '../../base/clock.ts';
import { textColumns } from '../../base/text-columns.ts';
import { SeriesGatherer, shownUnit, type Series } from '../../machine/diagnostics/reading/series.ts';
import { readCommandLine, type ModuleIo } from '../module-commands/module-io.ts';
import { chooseRecords, recordOptions } from './chosen-records.ts';

/** One metric over the time, as it is shown. */
interface Summary {
  readonly metric: string;
  readonly unit: string;
  /** Null where there was nothing to show: a counter that was seen once. */
  readonly last: number | null;
  readonly min: number | null;
  readonly average: number | null;
  readonly max: number | null;
}

/** `armature diagnostics show` */
export async function showCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const line = readCommandLine(args, { ...recordOptions, json: 'boolean' }, 0);
  const records = await chooseRecords(line, io, systemClock.now());
  const gatherer = new SeriesGatherer((name) => records.isWanted(name), records.range, 1);
  for await (const block of records.blocks()) gatherer.add(block);
  const summaries = [...gatherer.series].map(([name, series]) => summaryOf(name, series));
  if (summaries.length === 0) throw await records.nothingFound();
  summaries.sort((a, b) => (a.metric < b.metric ? -1 : 1));
  io.stdout(line.flag('json') ? `${JSON.stringify(summaries, undefined, 2)}\n` : tableOf(summaries));
  return 0;
}

function summaryOf(name: string, { metric, last, min, max, average }: Series): Summary {
  const shown = (value: number | undefined): number | null =>
    value === undefined || Number.isNaN(value) ? null : value;
  return {
    metric: name,
    unit: shownUnit(metric),
    last: shown(last),
    min: shown(min[0]),
    average: shown(average[0]),
    max: shown(max[0]),
  };
}

function tableOf(summaries: readonly Summary[]): string {
  const rows = [
    ['METRIC', 'LAST', 'LEAST', 'MEAN', 'GREATEST', 'UNIT'],
    ...summaries.map(({ metric, last, min, average, max, unit }) => [
      metric,
      ...[last, min, average, max].map((value) => numberText(value)),
      unit,
    ]),
  ];
  const last = (rows[0]?.length ?? 0) - 1;
  const lines = textColumns(rows, { indent: '', isNumber: (column) => column > 0 && column < last });
  return `${lines.join('\n')}\n`;
}

/** Four digits that count; whole numbers whole. */
function numberText(value: number | null): string {
  if (value === null) return '-';
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 1_000 ? value.toFixed(0) : String(Number(value.toPrecision(4)));
}
