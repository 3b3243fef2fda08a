import { DiagnosticsServiceDefinition } from '../../../../proto/gen/core/diagnostics/v1/diagnostics.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { DiagnosticsCalls } from '../machine.ts';
import { quick } from './call-options.ts';

export function diagnosticsCalls(link: Channel): DiagnosticsCalls {
  const client = createClient(DiagnosticsServiceDefinition, link);
  return {
    describe: (since, signal) =>
      client.describe(
        { start: since === undefined ? undefined : new Date(since), end: undefined },
        { ...quick, signal },
      ),
    query: (metrics, { from, to }, stretches, signal) =>
      client.query(
        { metrics: [...metrics], start: new Date(from), end: new Date(to), stretches },
        { ...quick, signal },
      ),
    watch: (metrics, signal) => client.watch({ metrics: [...metrics] }, { signal }),
    async *collectBundle(backMs, signal) {
      for await (const { data } of client.collectBundle({ backSeconds: backMs / 1_000 }, { signal })) yield data;
    },
  };
}
