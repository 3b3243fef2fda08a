import { readdir, readFile, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { maskSecrets } from '../../../proto/config/secret-split.ts';
import type { Problem } from '../../../proto/config/problem.ts';
import { codeOf } from '../../base/errors.ts';
import type { ComputerHardware } from '../../hardware/computer-hardware.ts';
import { problemLine } from '../../machine/config/command-io.ts';
import { filesWithin } from '../../machine/diagnostics/reading/stored-blocks.ts';
import { JOURNAL_FILE, MACHINE_FILE } from '../../machine/diagnostics/recording/file-names.ts';
import type { LogPage } from '../../machine/logging/log-filter.ts';
import { formatLine } from '../../machine/logging/sinks/line-format.ts';
import { doctorReport } from '../doctor/doctor-report.ts';
import { doctorText } from '../doctor/doctor-text.ts';
import { filePart, type BundlePart } from './bundle.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Text of the log in one bundle at most, characters: about 100,000 lines, which are held in memory for a moment. */
const LOG_CHARS = 16 * 1024 * 1024;

/** A configuration with its secrets masked. */
export function configurationPart(name: string, about: string, read: () => string | Promise<string>): BundlePart {
  return filePart(name, about, async () => {
    const text = await read();
    const masked = maskSecrets(text);
    // If it cannot be parsed reliably, all of it is masked.
    if (masked !== '{}' || text.trim() === '{}') return masked;
    return 'This text cannot be read as JSON without doubt, so its secrets cannot be found: it is left out.\n';
  });
}

export function problemsPart(read: () => readonly Problem[] | Promise<readonly Problem[]>): BundlePart {
  return filePart(
    'problems.txt',
    'what is wrong with the configuration, as "armature config check" says it',
    async () => {
      const problems = await read();
      return problems.length === 0 ? 'No problems.\n' : problems.map((problem) => `${problemLine(problem)}\n`);
    },
  );
}

/** @param pages from the newest back, each in its order */
export function logPart(pages: (signal: AbortSignal) => AsyncIterable<LogChunk> | Iterable<LogChunk>): BundlePart {
  return filePart('log.txt', 'the log of the time asked for, its newest 16 MB at most', async (signal) => {
    const texts: string[] = [];
    let chars = 0;
    for await (const { entries, unreadable } of pages(signal)) {
      const lines = entries.map(formatLine).join('');
      texts.push(unreadable.map((sentence) => `(${sentence})\n`).join('') + lines);
      chars += lines.length;
      if (chars < LOG_CHARS) continue;
      texts.push('(Older lines are left out: the log is too long.)\n');
      break;
    }
    return texts.reverse();
  });
}

/** Entries of a log that are read at once. */
export type LogChunk = Pick<LogPage, 'entries' | 'unreadable'>;

/** @param since wall-clock milliseconds */
export function diagnosticsPart(folder: string, since: number): BundlePart {
  return {
    name: 'diagnostics/',
    about: 'what the server recorded of itself: armature diagnostics show --folder diagnostics',
    async *files(signal) {
      const names = [MACHINE_FILE, ...(await filesWithin(folder, { from: since, to: Infinity })), JOURNAL_FILE];
      for (const name of names) {
        signal.throwIfAborted();
        const content = await readIfThere(path.join(folder, name));
        if (content === undefined) continue;
        yield [`diagnostics/${name}`, name === MACHINE_FILE ? content.toString() : content];
      }
    },
  };
}

/** The oldest file may be deleted meanwhile, and not every folder has all files. */
async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** What `armature doctor` says. */
export function doctorPart(hardware: ComputerHardware, environment: Environment): BundlePart {
  return filePart(
    'doctor.txt',
    'the computer, its wires and what is wrong with them, as "armature doctor" says it',
    async () => doctorText(await doctorReport(hardware, environment)),
  );
}

/** @param home whose disk is looked at, and whose files are listed */
export function computerPart(home: string, environment: Environment): BundlePart {
  return filePart('computer.json', 'processor, memory, disk, addresses, and the variables that are ours', async () => {
    const disk = await statfs(home).catch(() => undefined);
    const ours = Object.entries(environment).filter(([name]) => /^(SVC|ARMATURE|VIAM)_/.test(name));
    return json({
      processors: os.cpus().map(({ model }) => model),
      memory: { total: os.totalmem(), free: os.freemem() },
      load: os.loadavg(),
      uptimeSeconds: Math.round(os.uptime()),
      disk: disk && { total: disk.blocks * disk.bsize, free: disk.bavail * disk.bsize },
      addresses: Object.entries(os.networkInterfaces()).map(([name, all = []]) => ({
        name,
        addresses: all.map(({ address }) => address),
      })),
      environment: Object.fromEntries(ours),
      home: await readdir(home).catch(() => []),
    });
  });
}

const TIMES = ['at', 'since', 'startedAt', 'nextRetryAt'];

/** JSON for people: times in UTC, big integers as numbers. */
export function json(value: unknown): string {
  const plain = (key: string, one: unknown): unknown => {
    if (typeof one === 'bigint') return Number(one);
    return typeof one === 'number' && TIMES.includes(key) ? new Date(one).toISOString() : one;
  };
  return `${JSON.stringify(value, plain, 2)}\n`;
}
