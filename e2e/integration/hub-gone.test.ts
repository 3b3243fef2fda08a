import { execFileSync, spawnSync } from 'node:child_process';
import { it, onTestFinished } from 'vitest';
import { Fleet } from '../harness/joined-machine.ts';
import { startServer } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

const hasSs = spawnSync('ss', ['--version']).status === 0;

it.skipIf(!hasSs)('both ends of a link have the kernel ask whether the other one is there (needs ss)', async () => {
  const fleet = await Fleet.start();
  const server = await startServer({ config: await fleet.configOf(await fleet.partId()) });
  onTestFinished(async () => void (await server.stop()));
  await until('it is connected', () => server.stderr().includes('connected to the hub'), 10_000);
  // The client of this test sends no probes: if probes are sent on the callers' side, the machine sends them. ss prints
  // 3.3 s as "3.300ms", and whole seconds as "3sec".
  const isAsked = (side: 'sport' | 'dport') => (): boolean =>
    /timer:\(keepalive,(\d+ms|1?\d(\.\d+ms|sec)),0\)/.test(
      execFileSync('ss', ['-tnoH', 'state', 'established', side, '=', `:${fleet.port}`], { encoding: 'utf8' }),
    );
  // While data is unacknowledged the kernel waits for that instead.
  await until('the kernel asks for the hub', isAsked('sport'), 15_000);
  await until('the kernel asks for the machine', isAsked('dport'), 15_000);
});
