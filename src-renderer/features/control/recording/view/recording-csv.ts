import { plotCsvLines } from '../../../../shared/plot/plot-csv.ts';
import type { PlotView } from '../../../../shared/plot/plot-view.ts';
import { Turns } from '../../../../shared/timing/turns.ts';
import type { RecordedChannel } from '../file/recording.ts';

const MAX_PIECE_LENGTH = 1_000_000;

/** The values of all channels in a time as a table, see `plotCsv`. It is written in turns. */
export async function recordingCsv(channels: readonly RecordedChannel[], view: PlotView): Promise<Blob> {
  const buffers = new Map(channels.map(({ name, buffer }) => [name, buffer]));
  const columns = channels.map(({ name, unit }) => ({ name, label: name, unit }));
  const pieces: Blob[] = [];
  let lines: string[] = [];
  let length = 0;
  const turns = new Turns();
  for (const line of plotCsvLines(columns, (name) => buffers.get(name)!, view)) {
    lines.push(line);
    length += line.length;
    if (length > MAX_PIECE_LENGTH) {
      pieces.push(new Blob(lines));
      [lines, length] = [[], 0];
    }
    if (turns.isOver) await turns.pass();
  }
  return new Blob([...pieces, ...lines], { type: 'text/csv' });
}
