import { writeAll, writeAllSync } from './descriptor-write.ts';
import { formatLine } from './line-format.ts';
import { LineWriter } from './line-writer.ts';

const STANDARD_ERROR = 2;

/** The console, on standard error: standard output is for the lines that other programs read. */
export function openLogConsole(onTrouble: (message: string) => void): LineWriter {
  return new LineWriter(
    'the console',
    {
      write: (text) => writeAll(STANDARD_ERROR, Buffer.from(text)),
      writeSync: (text) => writeAllSync(STANDARD_ERROR, Buffer.from(text)),
      close: () => undefined,
    },
    onTrouble,
    formatLine,
  );
}
