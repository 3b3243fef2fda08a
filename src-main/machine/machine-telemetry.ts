import path from 'node:path';
import type { ServerAddress } from '../base/server-address.ts';
import type { Clock } from '../base/clock.ts';
import type { PeerCaller } from '../rpc/peer/outbound-call.ts';
import type { Router } from '../rpc/router.ts';
import type { HubMembership } from './cloud/joined-hub.ts';
import type { ResourceGraph } from './graph/resource-graph.ts';
import type { LogRegistry } from './logging/log-registry.ts';
import type { ModuleManager } from './modules/module-manager.ts';
import type { SessionRegistry } from './sessions/session-registry.ts';
import { boundedPrint } from './telemetry/bounded-print.ts';
import { Telemetry } from './telemetry/telemetry.ts';

/** What is counted. */
interface Counted {
  readonly sessions: Pick<SessionRegistry, 'list'>;
  readonly modules: Pick<ModuleManager, 'statuses'>;
  readonly graph: Pick<ResourceGraph, 'statuses'>;
}

interface Parts {
  readonly name: string;
  readonly version: string;
  readonly clock: Clock;
  readonly logs: Pick<LogRegistry, 'logger'>;
  readonly modules: { readonly home: string };
  readonly hub?: Pick<HubMembership, 'ownsConfig' | 'partId'> | undefined;
  readonly printsTelemetry?: boolean;
  /** Identifies this machine among others with the same home. */
  readonly machine: string;
  readonly connect: (address: ServerAddress) => Promise<PeerCaller>;
  readonly router: () => Router | undefined;
}

/** Spans and metrics of a machine, which are printed on the program's console. */
export function machineTelemetry(of: Counted, parts: Parts): Telemetry {
  const { name, version, clock, logs, modules, hub, printsTelemetry = false, machine, connect, router } = parts;
  return new Telemetry({
    clock,
    logger: logs.logger('core.tracing'),
    machine: name,
    version,
    // By part, as in the public ecosystem; a machine whose file owns the configuration may not belong to a part yet.
    folder: () => {
      const part = hub?.ownsConfig === false ? hub.partId().replace(/[^\w-]/g, '_') : '';
      return path.join(modules.home, 'trace', part === '' ? machine : part);
    },
    printsMetrics: printsTelemetry,
    figures: () => ({
      inFlight: router()?.inFlight ?? 0,
      sessions: of.sessions.list().length,
      modules: counted(of.modules.statuses().map(({ state }) => state.kind)),
      resources: counted(of.graph.statuses().map(({ state }) => state.kind)),
    }),
    print: boundedPrint(process.stdout),
    connect,
  });
}

function counted(states: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}
