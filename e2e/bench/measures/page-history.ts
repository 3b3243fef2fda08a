import type { Browser, Page } from 'playwright';
import { JoinedPair } from '../../harness/joined-pair.ts';
import { storeVersions } from '../../harness/many-versions.ts';
import { HistoryPage } from '../../page-objects/history.ts';
import type { Measure } from '../measure.ts';
import { frames, wallClock, whenDrawn, withBrowser } from '../page/browser.ts';
import { PageTrace } from '../page/trace.ts';
import { median, rowOf } from '../statistics.ts';

const MANY = 10_000;
const FEW = 100;
/** A longer frame is visible as a stutter. */
const LONGEST_TASK_MS = 50;
/** Within this time the result counts as immediate. */
const AT_ONCE_MS = 500;
const SCROLL_STEPS = 20;
/** Work that follows the last key or turn of the wheel is part of its phase. */
const AFTERMATH_MS = 400;

const phases = {
  open: 'History is opened, until its lines are drawn',
  filter: 'a resource and a number are typed into the search, until what was found is drawn',
  all: 'the search is emptied, until all lines are there again',
  scroll: 'the list is scrolled by 12,000 pixels',
  end: 'the End key goes to the first version',
} as const;
type Phase = keyof typeof phases;

/** Of a phase: time until it was drawn, the longest task and the most processor time of one, ms. */
interface Figures {
  readonly drawn: number;
  readonly longest: number;
  readonly processor: number;
}

async function phasesOf(
  page: Page,
  pageUrl: string,
  count: number,
  phase: (name: Phase, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const history = new HistoryPage(page, pageUrl);
  const row = '[role=grid] .row.body time';
  const link = await page.getByRole('link', { name: 'History' }).boundingBox();
  if (link === null) throw new Error('the rail is not drawn');
  await phase('open', async () => {
    await page.mouse.click(link.x + 40, link.y + link.height / 2);
    await whenDrawn(page, row, 10);
  });
  await history.search.click();
  await phase('filter', async () => {
    for (const key of 'resource:left 99') {
      await page.keyboard.press(key === ' ' ? 'Space' : key);
      await frames(page, 1);
    }
    await whenDrawn(page, '[role=grid]:not(:has([aria-rowindex="40"])) .row.body time');
  });
  await phase('all', async () => {
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Backspace');
    await whenDrawn(page, `[role=grid][aria-rowcount="${count + 1}"] .row.body time`, 10);
  });
  await page.mouse.move(500, 500);
  await phase('scroll', async () => {
    for (let step = 0; step < SCROLL_STEPS; step++) {
      await page.mouse.wheel(0, 600);
      await frames(page, 3);
    }
    await whenDrawn(page, row, 10);
  });
  await history.list.focus();
  await phase('end', async () => {
    await page.keyboard.press('End');
    await whenDrawn(page, `[aria-rowindex="${count + 1}"] time`);
  });
}

async function figuresOf(browser: Browser, page: Page, pair: JoinedPair, count: number): Promise<Map<Phase, Figures>> {
  await page.goto(pair.machine.pageUrl);
  await whenDrawn(page, 'nav a');
  const drawn = new Map<Phase, number>();
  const trace = await PageTrace.record(browser, page, (mark) =>
    phasesOf(page, pair.machine.pageUrl, count, async (name, work) => {
      await mark(name);
      const from = wallClock();
      await work();
      drawn.set(name, wallClock() - from);
      await page.waitForTimeout(AFTERMATH_MS);
      await mark(`${name} end`);
    }),
  );
  return new Map(
    [...drawn].map(([name, ms]) => [
      name,
      {
        drawn: ms,
        longest: trace.longestTask(name, `${name} end`),
        processor: trace.mostProcessorTime(name, `${name} end`),
      },
    ]),
  );
}

/** How a History of 10,000 versions opens, is searched and scrolled, compared with one of 100. */
export const pageHistory: Measure = {
  name: 'page-history',
  isDefault: true,
  run: ({ rounds, note }) =>
    withBrowser(async (browser, open) => {
      const pairs: JoinedPair[] = [];
      try {
        for (const count of [MANY, FEW]) {
          note(`a hub with ${count} versions is made`);
          pairs.push(await JoinedPair.start((data, partId) => storeVersions(data, partId, count)));
        }
        const [many, few] = pairs as [JoinedPair, JoinedPair];
        const found = { ours: [] as Map<Phase, Figures>[], peer: [] as Map<Phase, Figures>[] };
        const once = async (pair: JoinedPair, count: number): Promise<Map<Phase, Figures>> => {
          const page = await open();
          const figures = await figuresOf(browser, page, pair, count);
          await page.close();
          return figures;
        };
        for (let round = 0; round <= rounds; round++) {
          const ours = await once(many, MANY);
          const peer = await once(few, FEW);
          if (round === 0) continue;
          found.ours.push(ours);
          found.peer.push(peer);
        }
        return (Object.keys(phases) as Phase[]).flatMap((phase) => {
          const of = (figure: keyof Figures) => ({
            ours: found.ours.map((each) => each.get(phase)?.[figure] ?? Number.NaN),
            peer: found.peer.map((each) => each.get(phase)?.[figure] ?? Number.NaN),
          });
          const what = `${MANY} versions / ${FEW}: ${phases[phase]}`;
          const isAtOnce = phase === 'open' || phase === 'filter' || phase === 'all';
          return [
            rowOf(
              {
                name: `history, ${phase}`,
                what: `until drawn, ${what}`,
                unit: 'ms',
                target: isAtOnce ? { kind: 'at most', value: AT_ONCE_MS, of: 'ours' } : undefined,
              },
              of('drawn'),
              {},
            ),
            rowOf(
              {
                name: `history, ${phase}, task`,
                what: `longest task, ${what}`,
                unit: 'ms',
                target: { kind: 'at most', value: LONGEST_TASK_MS, of: 'ours' },
              },
              of('longest'),
              { 'processor time of one, ms': median(of('processor').ours) },
            ),
          ];
        });
      } finally {
        for (const pair of pairs) await pair.stop();
      }
    }),
};
