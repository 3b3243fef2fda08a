import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Limits of a process that handles untrusted files. */
export interface ProcessLimits {
  /** Total memory, bytes. */
  readonly processBytes: number;
  /** Memory for JavaScript, MiB. */
  readonly heapMb: number;
}

/** Exit code of a process that exceeds its memory limit. */
const TOO_MUCH_MEMORY = 86;

/** Data that Node maps at its start, most of which it never uses: 625 MiB on Linux. */
const NODE_MAPS_BYTES = 640 * 1024 * 1024;

/** How often a process checks its memory use. */
const POLL_MS = 50;

/**
 * Starts a file of ours in a process with nothing of this one's environment, and a channel to it. Native code counts little
 * of its own memory, so the whole process has a limit: it watches itself ({@link keepLimits}), and on Linux the
 * kernel refuses it more memory. That fails only the work, which can then report it; a process that ends itself cannot.
 * @param file by a `new URL` written out where it is called: the bundler looks for that
 */
export function startLimitedProcess(file: URL, { processBytes, heapMb }: ProcessLimits): ChildProcess {
  const script = fileURLToPath(file);
  const node = [process.execPath, `--max-old-space-size=${heapMb}`, '--max-semi-space-size=4', script] as const;
  const kilobytes = Math.floor((processBytes + NODE_MAPS_BYTES) / 1024);
  const [program, ...args] =
    process.platform === 'linux' ? ['/bin/sh', '-c', `ulimit -d ${kilobytes}; exec "$0" "$@"`, ...node] : node;
  return spawn(program ?? process.execPath, args, {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: environment(),
    serialization: 'advanced',
    windowsHide: true,
  });
}

/** Whether a process ended because of its memory: V8 ends with 134 or SIGABRT when its own ends. */
export function isOutOfMemory(code: number | null, killedBy: NodeJS.Signals | null): boolean {
  return code === TOO_MUCH_MEMORY || code === 134 || killedBy === 'SIGABRT';
}

/** Called once in such a process: ends it when it exceeds its limits. */
export function keepLimits(processBytes: number): void {
  setInterval(() => {
    if (process.memoryUsage.rss() > processBytes) process.exit(TOO_MUCH_MEMORY);
  }, POLL_MS);
}

/** Called in such a process at its start: makes it the first that the kernel kills when memory runs out. */
export function endFirst(): void {
  // The parent is gone or has disconnected. Native code would delay an orderly end.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  if (process.platform !== 'linux') return;
  try {
    // When memory runs out, Linux kills this process first.
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Some containers forbid it; the limits of this process still hold.
  }
}

/** Makes Electron behave like Node; Windows needs its system folder to start anything. */
function environment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env;
  return {
    ...(process.versions['electron'] === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' }),
    ...(SystemRoot === undefined ? {} : { SystemRoot }),
  };
}
