import type { Browser, Page } from 'playwright';

/** The fields of Chromium's trace format that are read. Times in microseconds of one clock. */
interface TraceEvent {
  readonly name: string;
  readonly cat: string;
  readonly ph: string;
  readonly ts: number;
  readonly dur?: number;
  /** Processor time of the thread. */
  readonly tdur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
}

/** Few categories, and a large buffer: a full one drops the beginning. */
const traceConfig = {
  recordMode: 'recordAsMuchAsPossible' as const,
  traceBufferSizeInKb: 1024 * 1024,
  includedCategories: ['toplevel', 'blink.user_timing'],
  excludedCategories: ['*'],
};
const markPrefix = 'bench:';

/** Marks the beginning of a phase at the very start of the next document: the page is opened in that phase. */
export async function markPhaseAtLoad(page: Page, phase: string): Promise<void> {
  await page.addInitScript(`performance.mark(${JSON.stringify(markPrefix + phase)})`);
}

/** The browser's trace of its page, divided into named phases. */
export class PageTrace {
  readonly #tasks: readonly TraceEvent[];
  readonly #marks: ReadonlyMap<string, number>;

  private constructor(events: readonly TraceEvent[]) {
    const marks = events.filter(({ cat, name }) => cat.includes('blink.user_timing') && name.startsWith(markPrefix));
    this.#marks = new Map(marks.map(({ name, ts }) => [name.slice(markPrefix.length), ts]));
    const pid = marks[0]?.pid;
    const mains = new Set(
      events
        .filter(({ ph, name, args }) => ph === 'M' && name === 'thread_name' && args?.name === 'CrRendererMain')
        .filter((event) => event.pid === pid)
        .map(({ tid }) => tid),
    );
    this.#tasks = events.filter(
      ({ name, ph, pid: owner, tid }) => ph === 'X' && name.endsWith('RunTask') && owner === pid && mains.has(tid),
    );
  }

  /** Records while `work` runs; in it `mark` names the beginning of each phase. */
  static async record(
    browser: Browser,
    page: Page,
    work: (mark: (phase: string) => Promise<void>) => Promise<void>,
  ): Promise<PageTrace> {
    const devtools = await browser.newBrowserCDPSession();
    const events: TraceEvent[] = [];
    devtools.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as unknown as TraceEvent[])));
    await devtools.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
    await work(async (phase) => {
      await page.evaluate(`performance.mark(${JSON.stringify(markPrefix + phase)})`);
    });
    const complete = new Promise((resolve) => devtools.once('Tracing.tracingComplete', resolve));
    await devtools.send('Tracing.end');
    await complete;
    await devtools.detach();
    return new PageTrace(events);
  }

  /**
   * Longest time for which the page could draw nothing, ms: the longest task of its main thread that began between two
   * marks. A frame cannot be shorter than the task it waits for.
   */
  longestTask(from: string, to: string): number {
    return Math.max(0, ...this.#between(from, to).map(({ dur = 0 }) => dur / 1000));
  }

  /** The most processor time that one such task took, ms: its duration where nothing else uses the processor. */
  mostProcessorTime(from: string, to: string): number {
    return Math.max(0, ...this.#between(from, to).map(({ tdur = 0 }) => tdur / 1000));
  }

  /**
   * Share of the time between two marks in which the main thread was busy, 0 to 1: including waits within its tasks, or
   * (`processor`) only while it was running on the processor.
   */
  busyShare(from: string, to: string, kind: 'all' | 'processor' = 'all'): number {
    const timeOf = ({ dur = 0, tdur = 0 }: TraceEvent): number => (kind === 'all' ? dur : tdur);
    const busy = this.#between(from, to).reduce((sum, task) => sum + timeOf(task), 0);
    return busy / (this.#time(to) - this.#time(from));
  }

  #between(from: string, to: string): TraceEvent[] {
    const [start, end] = [this.#time(from), this.#time(to)];
    return this.#tasks.filter(({ ts }) => ts >= start && ts < end);
  }

  #time(mark: string): number {
    const time = this.#marks.get(mark);
    if (time === undefined) throw new Error(`the trace has no mark "${mark}"`);
    return time;
  }
}
