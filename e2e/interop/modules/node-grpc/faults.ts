import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { createServer } from 'node:net';
import { status } from '@grpc/grpc-js';
import { Refusal, type Fields } from './wire.ts';

/** Faults of this process from its start, named in the environment: `FAULTS=never-ready,ignores-sigterm`. */
export type StartFault =
  | 'never-ready'
  | 'no-socket'
  | 'exits-at-start'
  | 'garbage-ready'
  | 'garbage-wire'
  | 'dies-after-ready'
  | 'ignores-sigterm'
  | 'crashes-at-shutdown'
  | 'forks'
  | 'floods';

const faults = new Set((process.env['FAULTS'] ?? '').split(',').filter((name) => name !== ''));

export function has(fault: StartFault): boolean {
  return faults.has(fault);
}

/** Bytes that are not a valid message: a field of length 127 in 3 bytes. */
export const garbage = Buffer.from([0x0a, 0x7f, 0x01]);

/** Causes the faults before anything is served. Returns whether the module should continue. */
export function failAtStart(address: string, lastWords: () => string): boolean {
  if (has('exits-at-start')) {
    process.stderr.write('ERROR the probe has no power\n');
    process.exit(3);
  }
  if (has('forks')) forkChild();
  if (has('floods')) floodForEver();
  process.on('SIGTERM', () => {
    if (has('crashes-at-shutdown')) process.kill(process.pid, 'SIGSEGV');
    if (has('ignores-sigterm')) return;
    process.stdout.write(`INFO ${lastWords()}\n`, () => process.exit(0));
  });
  if (has('no-socket')) {
    setInterval(() => undefined, 60_000);
    return false;
  }
  if (has('garbage-wire')) {
    createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(Buffer.alloc(1_024, 0x5a));
    }).listen(address);
    return false;
  }
  return true;
}

/** A child that outlives this process when only this one is terminated: it ignores SIGTERM. */
function forkChild(): number {
  const child = spawn('/bin/sh', ['-c', "trap '' TERM; while :; do sleep 60; done"], { stdio: 'ignore' });
  return child.pid ?? 0;
}

function floodForEver(): void {
  const line = `${'x'.repeat(99)}\n`.repeat(100);
  const write = (): void => {
    while (process.stdout.write(line));
    process.stdout.once('drain', write);
  };
  write();
}

async function flood(lines: number, text: string): Promise<void> {
  const batch = 1_000;
  for (let written = 0; written < lines; written += batch) {
    const block = Array.from({ length: Math.min(batch, lines - written) }, (_, at) => `${text} ${written + at}\n`);
    if (!process.stdout.write(block.join(''))) await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}

function leak(count: number): number {
  let open = 0;
  try {
    for (; open < count; open++) openSync('/dev/null', 'r');
  } catch {
    // Reaching the limit was the purpose.
  }
  return open;
}

/**
 * Causes the fault that a DoCommand requests. Returns undefined where it requests something else. A process that exits
 * sends no response: its caller gets an error about the lost process.
 */
export async function failOnCommand(command: Fields): Promise<Fields | undefined> {
  if (typeof command['exit'] === 'number') {
    process.stderr.write('Traceback (most recent call last):\n  File "probe.py", line 7, in read\nKeyError: \'pin\'\n');
    // The output has to be written first.
    setImmediate(() => process.exit(command['exit'] as number));
    return {};
  }
  if (typeof command['signal'] === 'string') process.kill(process.pid, command['signal']);
  if (command['hang'] === true) for (;;);
  if (command['fork'] === true) return { pid: forkChild() };
  if (typeof command['leak'] === 'number') return { leaked: leak(command['leak']) };
  if (typeof command['flood'] === 'number') {
    await flood(command['flood'], typeof command['text'] === 'string' ? command['text'] : 'INFO flood');
    return { lines: command['flood'] };
  }
  if (typeof command['fail'] === 'string') throw new Refusal(status.FAILED_PRECONDITION, command['fail']);
  return undefined;
}
