import path from 'node:path';
import { revisionOf } from '../../../base/revision.ts';

/** The block that is still open. */
export const JOURNAL_FILE = 'open-block';
/** Says which configuration the records belong to. */
export const MACHINE_FILE = 'machine.json';

const PATTERN = /^(\d{9})\.armdiag$/;

/** Below the home: one folder per configuration, so that machines with the same home are kept apart. */
export function diagnosticsFolder(home: string): string {
  return path.join(home, 'diagnostics');
}

/** The folder of the machine that runs a configuration. */
export function machineFolder(home: string, configPath: string): string {
  return path.join(diagnosticsFolder(home), revisionOf(path.resolve(configPath)));
}

export function recordFile(folder: string, number: number): string {
  return path.join(folder, `${String(number).padStart(9, '0')}.armdiag`);
}

/** Numbers of the record files among these names, oldest first. */
export function fileNumbers(names: readonly string[]): number[] {
  const numbers = names.flatMap((name) => {
    const written = PATTERN.exec(name)?.[1];
    return written === undefined ? [] : Number(written);
  });
  return numbers.sort((a, b) => a - b);
}
