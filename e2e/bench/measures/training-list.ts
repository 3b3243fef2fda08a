import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright';
import { startHub, HubClient, type HubProcess } from '../../harness/hub-process.ts';
import { storeJobs } from '../../harness/many-jobs.ts';
import { until } from '../../harness/until.ts';
import { TrainingStatus } from '../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { quickPython, TrainingLoad } from '../hub/training-load.ts';
import type { Measure, Outcome } from '../measure.ts';
import { frames, wallClock, whenDrawn, withBrowser } from '../page/browser.ts';
import { endAtExit } from '../pinned-process.ts';
import { rowOf } from '../statistics.ts';

const MANY = 1_000;
const FEW = 10;
/** Within this time the result counts as immediate. */
const AT_ONCE_MS = 500;

const phases = {
  open: 'Train is opened, until its jobs are drawn',
  filter: 'a model and a version are typed into the search, until what was found is drawn',
} as const;
type Phase = keyof typeof phases;

/** A hub with one job that never ends, and this many that wait behind it. */
async function hubWithJobs(scratch: string, count: number): Promise<HubProcess> {
  const data = path.join(await mkdtemp(path.join(scratch, 'jobs-')), 'data');
  const python = await quickPython(await mkdtemp(path.join(scratch, 'python-')), { ends: false });
  const first = await startHub({ data, args: ['--no-tls'] });
  endAtExit(first.process);
  const { ownerKey = { id: '', secret: '' }, organizationId = '' } = first;
  const owner = await HubClient.logIn(first.url, ownerKey);
  const load = await TrainingLoad.open({ owner, organizationId }, python.program);
  const id = await load.submit('1');
  const runs = async (): Promise<boolean> => (await load.status(id)) === TrainingStatus.IN_PROGRESS;
  await until('the first job runs', runs, 30_000, 50);
  owner.close();
  await first.stop();
  await storeJobs(data, organizationId, count, 'waiting');
  const hub = await startHub({ data, args: ['--no-tls'] });
  endAtExit(hub.process);
  return { ...hub, ownerKey };
}

async function timesOf(page: Page, hub: HubProcess, count: number): Promise<Record<Phase, number>> {
  await page.goto(hub.url);
  await page.getByRole('textbox', { name: 'Key id' }).fill(hub.ownerKey?.id ?? '');
  await page.getByLabel('Key', { exact: true }).fill(hub.ownerKey?.secret ?? '');
  await page.keyboard.press('Enter');
  const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Train' });
  const box = await link.boundingBox();
  if (box === null) throw new Error('the rail is not drawn');
  const timed = async (work: () => Promise<void>): Promise<number> => {
    const from = wallClock();
    await work();
    return wallClock() - from;
  };
  const all = `[role=grid][aria-rowcount="${count + 2}"] .row.body`;
  const open = await timed(async () => {
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await whenDrawn(page, all, Math.min(count, FEW));
  });
  await page.getByRole('searchbox', { name: 'Find a job' }).click();
  const filter = await timed(async () => {
    for (const key of 'screws 7') {
      await page.keyboard.press(key === ' ' ? 'Space' : key);
      await frames(page, 1);
    }
    await whenDrawn(page, `[role=grid]:not([aria-rowcount="${count + 2}"]) .row.body`);
  });
  return { open, filter };
}

/** How 1,000 waiting training jobs are listed and filtered in the window, compared with 10. */
export const trainingList: Measure = {
  name: 'training-list',
  isDefault: true,
  run: ({ rounds, scratchFolder, note }) =>
    withBrowser(async (_browser, open): Promise<readonly Outcome[]> => {
      note(`hubs with ${MANY} and ${FEW} jobs are made`);
      const hubs = [await hubWithJobs(scratchFolder, MANY), await hubWithJobs(scratchFolder, FEW)] as const;
      try {
        const once = async (hub: HubProcess, count: number): Promise<Record<Phase, number>> => {
          const page = await open();
          const times = await timesOf(page, hub, count);
          await page.close();
          return times;
        };
        const found: Record<'ours' | 'peer', Record<Phase, number>[]> = { ours: [], peer: [] };
        for (let round = 0; round <= rounds; round++) {
          const [ours, peer] = [await once(hubs[0], MANY), await once(hubs[1], FEW)];
          if (round === 0) continue;
          found.ours.push(ours);
          found.peer.push(peer);
        }
        return (Object.keys(phases) as Phase[]).map((phase) =>
          rowOf(
            {
              name: `training jobs, ${phase}`,
              what: `until drawn, ${MANY} jobs that wait / ${FEW}: ${phases[phase]}`,
              unit: 'ms',
              target: { kind: 'at most', value: AT_ONCE_MS, of: 'ours' },
            },
            { ours: found.ours.map((each) => each[phase]), peer: found.peer.map((each) => each[phase]) },
            {},
          ),
        );
      } finally {
        for (const hub of hubs) await hub.stop();
      }
    }),
};
