import type { Browser, Page } from 'playwright';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { Shell } from '../../page-objects/shell.ts';
import { GROUP_SIZE, groupedConfig } from '../machine-configs.ts';
import type { Measure } from '../measure.ts';
import { frames, whenDrawn, withBrowser } from '../page/browser.ts';
import { markPhaseAtLoad, PageTrace } from '../page/trace.ts';
import { median, rowOf } from '../statistics.ts';

const LARGE_GROUPS = 50;
const SMALL_GROUPS = 1;
/** A longer frame is visible as a stutter. */
const LONGEST_TASK_MS = 50;
/** The page reads, checks and plans the text 300 ms after the last key: that is part of the phase. */
const AFTERMATH_MS = 800;
const SCROLL_STEPS = 10;

const phases = {
  open: 'the page opens, until the list is drawn',
  filter: 'a word is typed into the filter, key by key',
  resource: 'a motor is opened',
  field: 'three digits are typed into a field of it',
  json: 'its text is opened',
  typing: '20 letters are typed in the middle of the text',
  picture: 'the picture of dependencies is opened',
  control: 'Control is opened',
  scroll: 'Control is scrolled by 4,000 pixels',
} as const;
type Phase = keyof typeof phases;

/** Longest task of each phase, and the most processor time of one, ms. */
type LongestTasks = Readonly<Record<Phase, { readonly wall: number; readonly processor: number }>>;

/** Where to click, found before the phase begins, because finding it takes time on the page's main thread too. */
async function placeOf(page: Page, target: ReturnType<Page['locator']>): Promise<() => Promise<void>> {
  const box = await target.boundingBox();
  if (box === null) throw new Error('what is to be clicked is not drawn');
  return () => page.mouse.click(box.x + Math.min(box.width / 2, 60), box.y + box.height / 2);
}

async function type(page: Page, text: string): Promise<void> {
  for (const key of text) {
    await page.keyboard.press(key === ' ' ? 'Space' : key);
    await frames(page, 2);
  }
}

async function phasesOf(
  page: Page,
  machine: ServerProcess,
  count: number,
  phase: (name: Phase, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const configure = new ConfigurePage(page);
  const last = count / GROUP_SIZE;
  const aftermath = (): Promise<void> => page.waitForTimeout(AFTERMATH_MS);
  await phase('open', async () => {
    await page.goto(machine.pageUrl);
    await whenDrawn(page, 'aside.resources li a .dot.ok');
    await whenDrawn(page, 'svg.frame a');
    await aftermath();
  });
  await configure.filter.click();
  await phase('filter', () => type(page, `x-motor-${last}`));
  const open = await placeOf(page, configure.resource(`x-motor-${last}`));
  await phase('resource', async () => {
    await open();
    await whenDrawn(page, '.form .field-box input');
    await aftermath();
  });
  await configure.maxSpeed.click();
  await page.keyboard.press('ControlOrMeta+a');
  await phase('field', async () => {
    await type(page, '115');
    await whenDrawn(page, '.bar button.primary[aria-disabled=false]');
    await aftermath();
  });
  const toText = await placeOf(page, configure.middle.getByRole('button', { name: 'JSON', exact: true }));
  await phase('json', async () => {
    await toText();
    await whenDrawn(page, '.editor.card');
    await aftermath();
  });
  await configure.editor.waitFor();
  await page.keyboard.press('End');
  await phase('typing', async () => {
    await type(page, 'twenty letters of it');
    await aftermath();
  });
  for (let key = 0; key < 'twenty letters of it'.length; key++) await page.keyboard.press('Backspace');
  await configure.showView('Form');
  await configure.filter.fill('');
  await page.evaluate(`document.querySelector('aside.resources .scroller').scrollTo(0, 1e6)`);
  const toPicture = await placeOf(page, configure.resource('All resources'));
  await phase('picture', async () => {
    await toPicture();
    await whenDrawn(page, 'svg.frame a');
    await aftermath();
  });
  const toControl = await placeOf(page, new Shell(page).rail.getByRole('link', { name: 'Control' }));
  await phase('control', async () => {
    await toControl();
    await whenDrawn(page, '.control article canvas');
    await aftermath();
  });
  await page.mouse.move(700, 500);
  await phase('scroll', async () => {
    for (let step = 0; step < SCROLL_STEPS; step++) {
      await page.mouse.wheel(0, 400);
      await frames(page, 4);
    }
    await aftermath();
  });
}

async function longestTasks(
  browser: Browser,
  page: Page,
  machine: ServerProcess,
  count: number,
): Promise<LongestTasks> {
  await markPhaseAtLoad(page, 'open');
  const trace = await PageTrace.record(browser, page, async (mark) => {
    await phasesOf(page, machine, count, async (name, work) => {
      if (name !== 'open') await mark(name);
      await work();
      await mark(`${name} end`);
    });
  });
  const names = Object.keys(phases) as Phase[];
  const taskOf = (name: Phase) => ({
    wall: trace.longestTask(name, `${name} end`),
    processor: trace.mostProcessorTime(name, `${name} end`),
  });
  return Object.fromEntries(names.map((name) => [name, taskOf(name)])) as LongestTasks;
}

/** How long the page is blocked for a machine of 500 resources, compared with one of 10. */
export const pageLarge: Measure = {
  name: 'page-large',
  isDefault: true,
  run: ({ rounds }) =>
    withBrowser(async (browser, open) => {
      const machines: ServerProcess[] = [];
      try {
        const figures = { ours: [] as LongestTasks[], peer: [] as LongestTasks[] };
        for (const groups of [LARGE_GROUPS, SMALL_GROUPS])
          machines.push(await startServer({ config: groupedConfig(groups) }));
        const [large, small] = machines as [ServerProcess, ServerProcess];
        const once = async (machine: ServerProcess, groups: number): Promise<LongestTasks> => {
          const page = await open();
          page.on('dialog', (dialog) => void dialog.accept());
          const found = await longestTasks(browser, page, machine, groups * GROUP_SIZE);
          await page.close();
          return found;
        };
        for (let round = 0; round <= rounds; round++) {
          const own = await once(large, LARGE_GROUPS);
          const peer = await once(small, SMALL_GROUPS);
          if (round === 0) continue;
          figures.ours.push(own);
          figures.peer.push(peer);
        }
        return (Object.keys(phases) as Phase[]).map((phase) => {
          const ours = figures.ours.map((each) => each[phase].wall);
          const peer = figures.peer.map((each) => each[phase].wall);
          const processor = median(figures.ours.map((each) => each[phase].processor));
          return rowOf(
            {
              name: `large page, ${phase}`,
              what: `longest task, ${LARGE_GROUPS * GROUP_SIZE} resources / ${SMALL_GROUPS * GROUP_SIZE}: ${phases[phase]}`,
              unit: 'ms',
              target: { kind: 'at most', value: LONGEST_TASK_MS, of: 'ours' },
            },
            { ours, peer },
            { 'longest of all rounds, ms': Math.max(...ours), 'processor time of one, ms': processor },
          );
        });
      } finally {
        await Promise.all(machines.map((machine) => machine.stop()));
      }
    }),
};
