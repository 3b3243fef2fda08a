import { spawnSync } from 'node:child_process';
import type { Browser, Page } from 'playwright';
import { chromiumPath, launchChromium } from '../../harness/chromium.ts';
import { CannotMeasure } from '../measure.ts';
import { canPin, pinSelf } from '../pinned-process.ts';

const longestWaitMs = 30_000;
const viewport = { width: 1440, height: 900 };

/**
 * A browser for one measurement. It inherits the processors of this process: a browser draws with several threads, so
 * this process is not pinned to one until the browser ends.
 */
export async function withBrowser<T>(use: (browser: Browser, open: () => Promise<Page>) => Promise<T>): Promise<T> {
  if (chromiumPath === undefined) throw new CannotMeasure('there is no Chromium here; set ARMATURE_BROWSER');
  if (canPin) spawnSync('taskset', ['-acp', '0-1023', String(process.pid)]);
  const browser = await launchChromium();
  try {
    return await use(browser, () => browser.newPage({ viewport }));
  } finally {
    await browser.close();
    pinSelf();
  }
}

/** Wall clock in ms with fractions; the page's `performance.timeOrigin + performance.now()` is the same clock. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now();
}

/** Lets the page draw this many frames. */
export async function frames(page: Page, count: number): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    let left = ${count};
    const next = () => (left-- > 0 ? requestAnimationFrame(next) : resolve());
    next();
  })`);
}

/**
 * Resolves when at least this many elements of a CSS selector have been drawn. Checked once per frame, by CSS alone: a
 * search by role in a large page is a long task itself.
 */
export async function whenDrawn(page: Page, selector: string, least = 1): Promise<void> {
  await page.evaluate(`new Promise((resolve, reject) => {
    const giveUpAt = performance.now() + ${longestWaitMs};
    const look = () => {
      if (document.querySelectorAll(${JSON.stringify(selector)}).length >= ${least}) resolve();
      else if (performance.now() > giveUpAt) reject(new Error(${JSON.stringify(`not drawn: ${selector}`)}));
      else requestAnimationFrame(look);
    };
    look();
  })`);
  await frames(page, 2);
}

/** Texts of one element as they are drawn. */
export class DrawnText {
  #expected: { readonly pattern: RegExp; readonly resolve: (time: number) => void } | undefined;

  /**
   * Follows the first element that `selector` finds. The time of a text is that of the first task after its frame, when
   * its pixels have been handed to the browser.
   */
  static async of(page: Page, selector: string): Promise<DrawnText> {
    const drawn = new DrawnText();
    await page.exposeFunction('benchDrawn', (text: string, time: number) => {
      if (drawn.#expected?.pattern.test(text) === true) drawn.#expected.resolve(time);
    });
    await page.evaluate(`{
      const watched = document.querySelector(${JSON.stringify(selector)});
      let last = watched.textContent;
      const afterFrame = (text) => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => benchDrawn(text, performance.timeOrigin + performance.now());
        port2.postMessage(0);
      });
      new MutationObserver(() => {
        if (watched.textContent === last) return;
        last = watched.textContent;
        afterFrame(last);
      }).observe(watched, { subtree: true, childList: true, characterData: true });
    }`);
    return drawn;
  }

  /** Resolves with the wall-clock time at which a matching text is drawn next. Call it before causing the change. */
  next(pattern: RegExp): Promise<number> {
    return new Promise((resolve) => (this.#expected = { pattern, resolve }));
  }
}
