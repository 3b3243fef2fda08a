import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { LogEntry } from '../../src-main/machine/logging/log-entry.ts';
import { logFolder } from '../../src-main/machine/logging/log-store.ts';
import { endLine, toStoredLine } from '../../src-main/machine/logging/stored-line.ts';

/**
 * Writes the stored log that a server started with `home` finds, as earlier
 * runs would have left it: `count` lines, one a second, the latest an hour ago.
 */
export async function storeLog(home: string, count: number, of: (seq: number) => Partial<LogEntry>): Promise<void> {
  const folder = logFolder(path.join(home, 'home'), path.join(home, 'machine.json'));
  const endsAt = Date.now() - 3_600_000;
  const lines = Array.from({ length: count }, (_, index) => {
    const seq = index + 1;
    return toStoredLine({
      seq,
      time: endsAt - (count - seq) * 1_000,
      level: 'info',
      logger: 'core.component.motor.left',
      message: `stored ${seq}`,
      fields: {},
      resource: undefined,
      caller: undefined,
      repeatCount: 1,
      firstTime: undefined,
      ...of(seq),
    });
  });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(path.join(folder, 'log-0000000000000001.jsonl'), lines.join('') + endLine(count), { mode: 0o600 });
}
