import type { Measure } from '../measure.ts';
import { startEcho } from '../rpc/echo-server.ts';
import { LoadProcess } from '../rpc/load-process.ts';
import { interleaved } from '../rpc/unary-load.ts';
import { rowOf } from '../statistics.ts';

/**
 * The ways of answering a unary call, each doing nothing else, compared with grpc-js: the gain from the choice of
 * transport.
 */
export const transports: Measure = {
  name: 'transports',
  isDefault: false,
  async run({ rounds }) {
    const load = new LoadProcess();
    const grpcJs = await startEcho('grpc-js');
    const injected = await startEcho('grpc-js-injected');
    const bareHttp2 = await startEcho('bare-http2');
    const bareRouter = await startEcho('bare-router');
    try {
      const targets = { grpcJs, injected, bareHttp2, bareRouter };
      const { grpcJs: peer, ...others } = await interleaved(load, targets, rounds);
      return Object.entries(others).map(([name, { cpuMicrosPerCall }]) =>
        rowOf(
          { name, what: 'CPU a call / grpc-js on its own port', unit: 'us', target: undefined },
          { ours: cpuMicrosPerCall, peer: peer.cpuMicrosPerCall },
          {},
        ),
      );
    } finally {
      await Promise.all([load, grpcJs, injected, bareHttp2, bareRouter].map((running) => running.end()));
    }
  },
};
