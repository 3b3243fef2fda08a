import type { Measure } from '../measure.ts';
import { LoadProcess } from '../rpc/load-process.ts';
import { interleaved } from '../rpc/unary-load.ts';
import { benchConfig } from '../machine-configs.ts';
import { msToMotor, startArmature } from '../servers/armature.ts';
import { rowOf } from '../statistics.ts';

/** The cost of a call on a large machine and on a small one. */
export const machineSize: Measure = {
  name: 'machine-size',
  isDefault: true,
  async run({ rounds, scratchFolder }) {
    const load = new LoadProcess();
    const large = await startArmature(scratchFolder, (port) => benchConfig(port, 1_000));
    const small = await startArmature(scratchFolder, (port) => benchConfig(port, 10));
    try {
      await Promise.all([msToMotor(large), msToMotor(small)]);
      const figures = await interleaved(load, { large, small }, rounds);
      return [
        rowOf(
          {
            name: 'machine size',
            what: 'CPU a call with 1,000 resources / with 10',
            unit: 'us',
            target: { kind: 'at most', value: 1.15 },
          },
          { ours: figures.large.cpuMicrosPerCall, peer: figures.small.cpuMicrosPerCall },
          {},
        ),
      ];
    } finally {
      await Promise.all([load.end(), large.end(), small.end()]);
    }
  },
};
