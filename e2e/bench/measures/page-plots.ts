import type { Page } from 'playwright';
import { startServer } from '../../harness/server-process.ts';
import { analogsConfig } from '../machine-configs.ts';
import type { Measure } from '../measure.ts';
import { whenDrawn, withBrowser } from '../page/browser.ts';
import { PageTrace } from '../page/trace.ts';
import { median, rowOf } from '../statistics.ts';

const BOARDS = 4;
const CHANNELS = 4 * BOARDS;
const MEASURED_MS = 10_000;
/** Collects samples before frames are counted, so that the lines span the whole plot. */
const FILLING_MS = 30_000;

/** A large screen: all plots are visible, since hidden ones are not drawn. */
const screen = { width: 1920, height: 1400 };

/** Frames a second of a page, over {@link MEASURED_MS}. */
async function framesPerSecond(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    let count = -1;
    let from = 0;
    const next = (now) => {
      count += 1;
      if (count === 0) from = now;
      if (now - from < ${MEASURED_MS}) requestAnimationFrame(next);
      else resolve((count / (now - from)) * 1000);
    };
    requestAnimationFrame(next);
  })`);
}

/** The rate of each plot as the page shows it: "50 Hz · 0 dropped". */
function shownPaces(page: Page): Promise<string> {
  return page.evaluate<string>(
    `[...document.querySelectorAll('figure .counts')].map((one) => one.textContent).join(', ')`,
  );
}

/** Whether Control's plots keep the frame rate of the screen: compared with an empty page in the same browser. */
export const pagePlots: Measure = {
  name: 'page-plots',
  isDefault: true,
  run: ({ rounds }) =>
    withBrowser(async (browser, open) => {
      const machine = await startServer({ config: analogsConfig(BOARDS) });
      try {
        const page = await open();
        await page.setViewportSize(screen);
        await page.goto(machine.pageUrl);
        await whenDrawn(page, 'aside.resources li a .dot.ok');
        await page.evaluate(`location.hash = '#/control'`);
        await whenDrawn(page, '.control canvas', BOARDS);
        const unseen = await page.evaluate<number>(
          `[...document.querySelectorAll('.control canvas')].filter((one) => one.getBoundingClientRect().bottom > innerHeight).length`,
        );
        if (unseen > 0) throw new Error(`${unseen} plots are not on the screen: they would not be drawn`);
        const blank = await open();
        await blank.setViewportSize(screen);
        await page.bringToFront();
        await page.waitForTimeout(FILLING_MS);
        const figures = { ours: [] as number[], peer: [] as number[] };
        const busy: number[] = [];
        const onProcessor: number[] = [];
        const longest: number[] = [];
        for (let round = 0; round < rounds; round++) {
          await page.bringToFront();
          let own = 0;
          const trace = await PageTrace.record(browser, page, async (mark) => {
            await mark('plots');
            own = await framesPerSecond(page);
            await mark('end');
          });
          busy.push(trace.busyShare('plots', 'end'));
          onProcessor.push(trace.busyShare('plots', 'end', 'processor'));
          longest.push(trace.longestTask('plots', 'end'));
          await blank.bringToFront();
          figures.ours.push(own);
          figures.peer.push(await framesPerSecond(blank));
        }
        await page.bringToFront();
        return [
          rowOf(
            {
              name: 'plots',
              what: `frames, ${CHANNELS} channels in ${BOARDS} plots on Control / an empty page`,
              unit: 'frames/s',
              target: { kind: 'at least', value: 0.98 },
            },
            figures,
            {
              'main thread busy': `${Math.round(median(busy) * 100)} %`,
              'of it on the processor': `${Math.round(median(onProcessor) * 100)} %`,
              'longest task, ms': median(longest),
              'as the plots say': await shownPaces(page),
            },
          ),
        ];
      } finally {
        await machine.stop();
      }
    }),
};
