import { readdirSync, statSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { Clock, Timer } from '../../../base/clock.ts';
import { counter, gauge, type DiagnosticSource } from '../source.ts';
import { ProcFile } from './proc-file.ts';

/** Index of the number of threads in `/proc/<pid>/stat`, counted after the name (proc_pid_stat(5)). */
const THREADS = 17;
const FOLDER_OF_FILES = '/proc/self/fd';

/** The server's own process. */
export function processSource(delay: EventLoopDelay): DiagnosticSource {
  const stat = new ProcFile('/proc/self/stat');
  return {
    name: 'process',
    metrics: [
      counter('cpu.total', 's', 1_000_000),
      counter('cpu.user', 's', 1_000_000),
      counter('cpu.system', 's', 1_000_000),
      gauge('memory.resident', 'B'),
      gauge('memory.heap_used', 'B'),
      gauge('memory.heap_total', 'B'),
      gauge('memory.external', 'B'),
      gauge('event_loop.delay_max', 'ms', 100),
      counter('event_loop.busy', 's', 1_000_000),
      gauge('open_files'),
      gauge('threads'),
      gauge('uptime', 's', 1_000),
    ],
    read() {
      const { user, system } = process.cpuUsage();
      const memory = process.memoryUsage();
      const line = stat.read();
      const threads = line?.slice(line.lastIndexOf(')') + 2).split(' ')[THREADS];
      return [
        (user + system) / 1e6,
        user / 1e6,
        system / 1e6,
        memory.rss,
        memory.heapUsed,
        memory.heapTotal,
        memory.external,
        delay.takeMax(),
        performance.eventLoopUtilization().active / 1_000,
        openFiles(),
        threads === undefined ? undefined : Number(threads),
        process.uptime(),
      ];
    },
  };
}

function openFiles(): number | undefined {
  try {
    // Newer kernels report the number of open files; older ones report 0, so the files are listed.
    const { size } = statSync(FOLDER_OF_FILES);
    // Listing them opens one more.
    return size > 0 ? size : readdirSync(FOLDER_OF_FILES).length - 1;
  } catch {
    return undefined; // not Linux
  }
}

/**
 * Two checks a second always detect an event loop that is blocked for longer than that; shorter blocks by chance, but all
 * of them count in `event_loop.busy`. Each check wakes an idle process, which costs as much as a third of a sample.
 */
const POLL_MS = 500;

/**
 * How late a timer fires: everything else that waited for the event loop waited as long. Node's own histogram loses
 * delays around each time that it is reset.
 */
export class EventLoopDelay {
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #due = 0;
  #max = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(): void {
    if (this.#timer === undefined) this.#wait();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** The longest delay since the last call, milliseconds, including the current one. */
  takeMax(): number {
    const late = Math.max(this.#max, this.#clock.monotonic() - this.#due, 0);
    this.#max = 0;
    return late;
  }

  #wait(): void {
    this.#due = this.#clock.monotonic() + POLL_MS;
    this.#timer = this.#clock.after(POLL_MS, () => {
      this.#max = Math.max(this.#max, this.#clock.monotonic() - this.#due);
      this.#wait();
    });
  }
}
