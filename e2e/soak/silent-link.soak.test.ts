import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tell } from './figures.ts';

const isolated = ['--map-root-user', '--net'];
const canIsolate =
  process.platform === 'linux' && spawnSync('unshare', [...isolated, 'ip', 'link', 'set', 'lo', 'up']).status === 0;
const note = canIsolate ? '' : ' (skipped: needs ip, and unshare with a network of its own)';

const LIMIT_MS = 20_000;
/** Milliseconds. */
type Sides = Readonly<Record<'machine' | 'hub', number>>;

describe.skipIf(!canIsolate)(`a link that goes silent${note}`, () => {
  it('is noticed on both sides within 20 s, at rest and with data on its way', () => {
    const script = path.join(import.meta.dirname, 'silent-link.ts');
    const run = spawnSync('unshare', [...isolated, process.execPath, script], { encoding: 'utf8', timeout: 240_000 });
    expect(run.status, run.stderr).toBe(0);
    const seen = JSON.parse(run.stdout) as Readonly<Record<'atRest' | 'withData' | 'withLateData', Sides>>;
    for (const [when, sides] of Object.entries(seen)) {
      tell(`silent link, ${when}: machine ${sides.machine} ms, hub ${sides.hub} ms`);
      expect(Math.max(sides.machine, sides.hub), when).toBeLessThan(LIMIT_MS);
    }
  }, 300_000);
});
