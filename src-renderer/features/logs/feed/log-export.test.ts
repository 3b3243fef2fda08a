import { describe, expect, it } from 'vitest';
import type { LogQueryOptions } from '../../../shared/machine/machine.ts';
import { defaultCriteria } from '../log-address.ts';
import { exportLog, exportName, type ExportOptions } from './log-export.ts';
import { logLine } from './log-line.fixture.ts';

/** A machine whose pages go back from `last`, with an empty one in between. */
function machineOf(last: number) {
  const asked: LogQueryOptions[] = [];
  return {
    asked,
    queryLogs: (options: LogQueryOptions) => {
      asked.push(options);
      const end = options.olderToken === '' ? Math.min(last + 1, options.beforeSeq) : Number(options.olderToken);
      const begin = asked.length === 2 ? end : Math.max(1, end - options.limit);
      const lines = Array.from({ length: end - begin }, (_, index) => logLine(begin + index));
      return Promise.resolve({
        lines,
        olderToken: begin > 1 ? String(begin) : '',
        unreadable: begin === 1 ? ['x.jsonl: no access'] : [],
        searchedTo: begin * 1_000,
      });
    },
  };
}

const options: ExportOptions = {
  criteria: defaultCriteria,
  upTo: 2_500,
  format: 'log',
  limit: 10_000,
  onProgress: () => undefined,
  signal: new AbortController().signal,
};

describe('a download', () => {
  it('has every line of all pages, oldest first, up to the newest when it began', async () => {
    const seen: number[] = [];
    const onProgress = ({ lines }: { readonly lines: number }) => void seen.push(lines);
    const { blob, lines, isCut, unreadable } = await exportLog(machineOf(2_600), { ...options, onProgress });
    const text = (await blob.text()).trimEnd().split('\n');
    expect(text.map((line) => line.split('\t')[3])).toEqual(
      Array.from({ length: 2_500 }, (_, index) => `line ${index + 1}`),
    );
    expect([lines, isCut, unreadable]).toEqual([2_500, false, ['x.jsonl: no access']]);
    expect(seen).toEqual([1_000, 1_000, 2_000, 2_500]);
  });

  it('has only the newest lines up to its limit, and reports that', async () => {
    const { blob, lines, isCut } = await exportLog(machineOf(2_500), { ...options, limit: 1_500 });
    expect([lines, isCut]).toEqual([1_500, true]);
    expect((await blob.text()).split('\t')[3]?.split('\n')[0]).toBe('line 1001');
  });

  it('ends when it is cancelled', async () => {
    const controller = new AbortController();
    const running = exportLog(machineOf(5_000), {
      ...options,
      upTo: 5_000,
      onProgress: () => controller.abort(),
      signal: controller.signal,
    });
    await expect(running).rejects.toThrow(/abort/i);
  });

  it('has its time in its name', () => {
    expect(exportName('jsonl', 0)).toBe('armature-log-1970-01-01T00-00-00Z.jsonl');
  });
});
