import type { Measure } from '../measure.ts';
import { startEcho } from '../rpc/echo-server.ts';
import { LoadProcess } from '../rpc/load-process.ts';
import { interleaved } from '../rpc/unary-load.ts';
import { benchConfig } from '../machine-configs.ts';
import { msToMotor, startArmature } from '../servers/armature.ts';
import { median, rowOf } from '../statistics.ts';

const BENCH_RESOURCES = 7;

/**
 * Unary IsMoving on the built server with everything that a call passes through, compared with a grpc-js server that
 * only echoes.
 */
export const unary: Measure = {
  name: 'unary',
  isDefault: true,
  async run({ rounds, scratchFolder }) {
    const load = new LoadProcess();
    const armature = await startArmature(scratchFolder, (port) => benchConfig(port, BENCH_RESOURCES));
    const grpcJs = await startEcho('grpc-js');
    try {
      await msToMotor(armature);
      const figures = await interleaved(load, { armature, grpcJs }, rounds);
      const details = {
        'processors used by ours': median(figures.armature.serverLoad),
        'processors used by the peer': median(figures.grpcJs.serverLoad),
      };
      return [
        rowOf(
          {
            name: 'unary calls',
            what: 'IsMoving, 64 in flight / bare grpc-js echo',
            unit: 'calls/s',
            target: { kind: 'at least', value: 0.8 },
          },
          { ours: figures.armature.callsPerSecond, peer: figures.grpcJs.callsPerSecond },
          details,
        ),
        rowOf(
          { name: 'unary CPU', what: 'the same, processor time a call', unit: 'us', target: undefined },
          { ours: figures.armature.cpuMicrosPerCall, peer: figures.grpcJs.cpuMicrosPerCall },
          {},
        ),
      ];
    } finally {
      await Promise.all([load.end(), armature.end(), grpcJs.end()]);
    }
  },
};
