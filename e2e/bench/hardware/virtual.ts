import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { CannotRun } from '../../hardware/host/cannot-run.ts';
import { runInBench } from '../../hardware/host/virtual-computer.ts';
import { CannotMeasure, type BenchContext } from '../measure.ts';

/** An emulated computer is about ten times slower. Building its kernel the first time is not included. */
const LIMIT_MS = 120_000;

/** @throws {CannotMeasure} where gpiod's programs, with which some measures compare, are not installed */
export function requireGpiod(): void {
  const isFound = spawnSync('gpiomon', ['--version']).error === undefined;
  if (!isFound) throw new CannotMeasure("gpiod's programs are not installed (Debian's package gpiod)");
}

/**
 * Runs a program of `inside/` in the virtual bench (`e2e/hardware`).
 * @returns the JSON that it prints
 * @throws {CannotMeasure} where the virtual bench is not available
 */
export async function inVirtualBench<Figures>(
  { note }: Pick<BenchContext, 'note'>,
  script: string,
  args: readonly string[] = [],
): Promise<Figures> {
  let printed = '';
  const job = {
    command: [process.execPath, path.join(import.meta.dirname, 'inside', script), ...args],
    folder: path.join(import.meta.dirname, '../../..'),
    environment: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    limitMs: LIMIT_MS,
    onOutput: (chunk: Buffer): void => void (printed += chunk.toString()),
    note,
  };
  try {
    const { exitCode } = await runInBench(job);
    if (exitCode !== 0) throw new Error(`${script} ended with ${exitCode} in the virtual bench:\n${printed}`);
  } catch (thrown) {
    if (thrown instanceof CannotRun) throw new CannotMeasure(`no virtual bench: ${thrown.message}`);
    throw thrown;
  }
  return JSON.parse(printed.trim().split('\n').at(-1) ?? '') as Figures;
}
