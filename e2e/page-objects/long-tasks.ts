import type { Page } from '@playwright/test';

/** A window that does nothing for this long hangs, on a slow and busy computer too. */
export const HANG_MS = 1_000;

/** The tasks of a page's main thread of 50 ms and more, in which it can neither draw nor take keys. */
export class LongTasks {
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  /** Counts from now on. */
  static async of(page: Page): Promise<LongTasks> {
    await page.evaluate(`{
      window.taskMs = [];
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.taskMs.push(Math.round(duration));
      }).observe({ type: 'longtask', buffered: false });
    }`);
    return new LongTasks(page);
  }

  /** The longest since the last call, ms; 0 if there was none. */
  async longest(): Promise<number> {
    return Math.max(0, ...(await this.#page.evaluate<number[]>('window.taskMs.splice(0)')));
  }
}
