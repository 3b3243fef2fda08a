import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { tell } from './figures.ts';

const isolated = ['--map-root-user', '--net'];
const canIsolate =
  process.platform === 'linux' && spawnSync('unshare', [...isolated, 'ip', 'link', 'set', 'lo', 'up']).status === 0;
const note = canIsolate ? '' : ' (skipped: needs ip, and unshare with a network of its own)';

/** Milliseconds. */
type Sides = Readonly<Record<'machine' | 'hub', number>>;

it.skipIf(!canIsolate)(
  `a link that goes silent is noticed on both sides within 20 s, at rest and with data on its way${note}`,
  () => {
    const script = path.join(import.meta.dirname, 'silent-link.ts');
    const run = spawnSync('unshare', [...isolated, process.execPath, script], { encoding: 'utf8', timeout: 240_000 });
    expect(run.status, run.stderr).toBe(0);
    const seen = JSON.parse(run.stdout) as Readonly<Record<'atRest' | 'withData' | 'withLateData', Sides>>;
    for (const [when, { machine, hub }] of Object.entries(seen)) {
      tell(`silent link, ${when}: machine ${machine} ms, hub ${hub} ms`);
      expect({ when, machine, isLate: machine > 20_000 }).toMatchObject({ isLate: false });
      expect({ when, hub, isLate: hub > 20_000 }).toMatchObject({ isLate: false });
    }
  },
  300_000,
);
