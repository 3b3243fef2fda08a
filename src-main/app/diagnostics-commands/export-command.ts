import path from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { decodeBlock, type DecodedSource } from '../../machine/diagnostics/format/block-decoder.ts';
import { fullMetricName } from '../../machine/diagnostics/source.ts';
import { badArgument, readCommandLine, type ModuleIo } from '../module-commands/module-io.ts';
import { chooseRecords, recordOptions, type ChosenRecords } from './chosen-records.ts';
import { fileOutput, standardOutput } from './output.ts';

/** The samples of one moment, by full names of metrics, in their units. */
type Row = ReadonlyMap<string, number>;

/** `armature diagnostics export` */
export async function exportCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const line = readCommandLine(args, { ...recordOptions, csv: 'string', json: 'string' }, 0);
  const [csv, json] = [line.text('csv'), line.text('json')];
  const file = csv ?? json;
  if (file === undefined || file === '' || (csv !== undefined && json !== undefined)) {
    throw badArgument('Say where to: --csv FILE or --json FILE; - is standard output.');
  }
  const records = await chooseRecords(line, io, systemClock.now());
  // A row of a table needs its columns before the first: what there is is looked at twice.
  const metrics = await metricsOf(records);
  if (metrics.size === 0) throw await records.nothingFound();
  const out = file === '-' ? standardOutput(io) : await fileOutput(path.resolve(io.cwd, file));
  const lines = csv === undefined ? jsonLines(metrics) : csvLines(metrics);
  let rows = 0;
  if (lines.head !== '') await out.write(lines.head);
  for await (const block of records.blocks()) {
    const texts: string[] = [];
    rowsOf(block, records, (timeMs, row) => texts.push(lines.row(timeMs, row)));
    rows += texts.length;
    await out.write(texts.join(''));
  }
  await out.end();
  io.stderr(`${rows} samples of ${metrics.size} metrics${file === '-' ? '' : ` in ${file}`}.\n`);
  return 0;
}

/** Units of the metrics of a time, by their full names. */
async function metricsOf(records: ChosenRecords): Promise<ReadonlyMap<string, string>> {
  const units = new Map<string, string>();
  for await (const block of records.blocks()) {
    decodeBlock(block, {
      source: ({ name, metrics }) => {
        for (const metric of metrics) {
          const full = fullMetricName(name, metric.name);
          if (records.isWanted(full)) units.set(full, metric.unit);
        }
      },
    });
  }
  return new Map([...units].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function rowsOf(block: Uint8Array, records: ChosenRecords, onRow: (timeMs: number, row: Row) => void): void {
  const names = new Map<DecodedSource, readonly (string | undefined)[]>();
  let time: number | undefined;
  let row = new Map<string, number>();
  const flush = (): void => {
    if (time !== undefined && row.size > 0) onRow(time, row);
    row = new Map();
  };
  decodeBlock(block, {
    source: (source) => {
      const full = source.metrics.map(({ name }) => fullMetricName(source.name, name));
      names.set(
        source,
        full.map((name) => (records.isWanted(name) ? name : undefined)),
      );
    },
    row: (timeMs, source, values) => {
      if (timeMs < records.range.from || timeMs > records.range.to) return;
      if (timeMs !== time) flush();
      time = timeMs;
      for (const [index, name] of (names.get(source) ?? []).entries()) {
        const value = (values[index] ?? Number.NaN) / (source.metrics[index]?.steps ?? 1);
        if (name !== undefined && !Number.isNaN(value)) row.set(name, value);
      }
    },
  });
  flush();
}

interface Lines {
  readonly head: string;
  row(timeMs: number, row: Row): string;
}

function csvLines(metrics: ReadonlyMap<string, string>): Lines {
  const cell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const columns = [...metrics].map(([name, unit]) => (unit === '' ? name : `${name} (${unit})`));
  const names = [...metrics.keys()];
  return {
    head: `${['time', ...columns].map(cell).join(',')}\n`,
    row: (timeMs, row) =>
      `${[new Date(timeMs).toISOString(), ...names.map((name) => row.get(name) ?? '')].join(',')}\n`,
  };
}

function jsonLines(metrics: ReadonlyMap<string, string>): Lines {
  return {
    head: `${JSON.stringify({ units: Object.fromEntries(metrics) })}\n`,
    row: (timeMs, row) =>
      `${JSON.stringify({ time: new Date(timeMs).toISOString(), values: Object.fromEntries(row) })}\n`,
  };
}
