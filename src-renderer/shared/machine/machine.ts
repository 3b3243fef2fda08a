import { inject, type InjectionKey } from 'vue';
import type { Dashboard, WatchResponse as DashboardsMessage } from '../../../proto/gen/core/dashboard/v1/dashboard.ts';
import type {
  DescribeResponse,
  QueryResponse,
  WatchResponse as DiagnosticsSample,
} from '../../../proto/gen/core/diagnostics/v1/diagnostics.ts';
import type { WatchMachinesResponse } from '../../../proto/gen/core/network/v1/network.ts';
import type { WatchResponse as StatusMessage } from '../../../proto/gen/core/status/v1/status.ts';
import type { ServiceDefinition } from '../../link/client.ts';
import type { HardwareView } from './hardware-view.ts';
import type { HistoryCalls } from './history-view.ts';
import type { ModuleCalls } from './modules/module-view.ts';
import type {
  ApplyOutcome,
  ConfigDocument,
  ConfigPlan,
  ConnectionView,
  LogBatch,
  LogCriteria,
  LogPageView,
  Problem,
} from './machine-view.ts';
import type { WatchReading, WatchRequest } from './poll.ts';
import type { ResourceClient } from './resource.ts';
import type { SentCommand } from './sent-commands.ts';

/**
 * The screens' interface to the machine. `rpc-machine.ts` implements it by RPC;
 * tests and screen prototypes have their own implementations.
 * Calls reject with an `Error` whose message is a sentence for people.
 */
export interface Machine {
  readonly connection: MachineConnection;
  readonly config: ConfigCalls;
  readonly history: HistoryCalls;
  readonly dashboards: DashboardCalls;
  readonly reflection: ReflectionCalls;
  readonly hardware: HardwareCalls;
  readonly network: NetworkCalls;
  readonly modules: ModuleCalls;
  readonly packages: PackageCalls;
  readonly diagnostics: DiagnosticsCalls;
  /** A client of a resource, by the generated definition of its API. */
  resource<D extends ServiceDefinition>(definition: D, fullName: string): ResourceClient<D>;
  /** Stops everything that moves, whichever client moved it. */
  stopAll(): Promise<void>;
  /** Calls back with each command that this page sends to the machine. Returns an unsubscribe function. */
  onCommand(listener: (command: SentCommand) => void): () => void;
  /**
   * Calls back when the machine ended this page's safety session and stopped what it moved. Returns an unsubscribe
   * function.
   */
  onSessionExpired(listener: () => void): () => void;
  /** A snapshot, then changes, until the signal aborts or the connection ends. */
  watchStatus(signal: AbortSignal): AsyncIterable<StatusMessage>;
  /** The last `backlog` lines, then new ones. Ignores `to` of the criteria. */
  tailLogs(options: LogTailOptions, signal: AbortSignal): AsyncIterable<LogBatch>;
  /** A page of stored lines, starting with the newest page. */
  queryLogs(options: LogQueryOptions, signal: AbortSignal): Promise<LogPageView>;
  /** Lets the machine poll, over one stream; the machine shares a poll between all who ask for the same. */
  watchReadings(requests: readonly WatchRequest[], signal: AbortSignal): AsyncIterable<WatchReading>;
}

export interface MachineConnection {
  /** Calls back at once with the current state, then on each change. Returns an unsubscribe function. */
  subscribe(onChange: (connection: ConnectionView) => void): () => void;
  /** Connects now instead of waiting for the next attempt. */
  retryNow(): void;
}

export interface LogTailOptions {
  readonly criteria: LogCriteria;
  /** Only lines after this number; 0 does not restrict. */
  readonly afterSeq: number;
  /** Maximum of stored lines at the start. */
  readonly backlog: number;
}

export interface LogQueryOptions {
  readonly criteria: LogCriteria;
  /** Only lines between these numbers; 0 does not restrict. */
  readonly afterSeq: number;
  readonly beforeSeq: number;
  /** Maximum of lines in the page; the machine gives at most 1000. */
  readonly limit: number;
  /** Token from the page after this one, with the same restrictions; '' for the newest page. */
  readonly olderToken: string;
}

export interface ConfigCalls {
  validate(text: string): Promise<readonly Problem[]>;
  plan(text: string): Promise<ConfigPlan>;
  /**
   * @param returnAfterMs time in which what is ready now must be ready again, or the machine rolls back; 0 for no
   * rollback
   */
  apply(text: string, baseRevision: string, returnAfterMs: number): Promise<ApplyOutcome>;
  /** Keeps the text that is on trial, or rolls back now. Rejects if no text of that revision is on trial. */
  endTrial(revision: string, keep: boolean): Promise<void>;
  /** Applies the text that waits for its maintenance window. Rejects if no text of that revision waits. */
  applyNow(revision: string): Promise<void>;
  /** The current state at once, then every change. */
  watch(signal: AbortSignal): AsyncIterable<ConfigDocument>;
}

/** Dashboards of the machine. The hub keeps them, or the machine where there is none. */
export interface DashboardCalls {
  /** All of them at once, then again after every change. */
  watch(signal: AbortSignal): AsyncIterable<DashboardsMessage>;
  /**
   * Stores a dashboard as a whole. Rejects with ABORTED if somebody else changed it since.
   * @param baseRevision the revision that was changed; '' for a new dashboard
   * @returns the dashboard as it is stored
   */
  put(dashboard: Dashboard, baseRevision: string): Promise<Dashboard>;
  /** Rejects with ABORTED if somebody else changed it since. */
  delete(dashboard: Dashboard): Promise<void>;
}

/** Packages that the configuration names. */
export interface PackageCalls {
  /** Retries at once a package that is missing or is not the wanted version. @param name as configured */
  retry(name: string): Promise<void>;
}

/** Metrics that the machine records each second. */
export interface DiagnosticsCalls {
  /** Whether it records, and which metrics exist now or existed since a time (ms of the machine's clock). */
  describe(since: number | undefined, signal: AbortSignal): Promise<DescribeResponse>;
  /** Metrics by name over a time (ms of the machine's clock), in stretches of equal length. */
  query(
    metrics: readonly string[],
    range: { readonly from: number; readonly to: number },
    stretches: number,
    signal: AbortSignal,
  ): Promise<QueryResponse>;
  /** Metrics by name, live. */
  watch(metrics: readonly string[], signal: AbortSignal): AsyncIterable<DiagnosticsSample>;
  /** A support bundle (`.tar.gz`) in pieces. @param backMs how far back log and records go */
  collectBundle(backMs: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

export interface HardwareCalls {
  /** The hardware interfaces that the machine's computer has now. Disturbs nothing. */
  discover(): Promise<HardwareView>;
}

export interface NetworkCalls {
  /**
   * Machines in the networks of the machine's computer: all of them at first and after each change. The search runs
   * while the stream is open.
   */
  watchMachines(signal: AbortSignal): AsyncIterable<WatchMachinesResponse>;
}

/** Describes APIs that this page has no code for, and calls them with messages as bytes. */
export interface ReflectionCalls {
  /** Full proto name of the service of an API; undefined if the machine does not serve the API. */
  serviceOf(api: string): Promise<string | undefined>;
  /** The proto files of a service and all their imports, as serialized FileDescriptorProtos. */
  filesOf(service: string): Promise<readonly Uint8Array[]>;
  /** @param path `/package.Service/Method` */
  call(
    path: string,
    requests: AsyncIterable<Uint8Array> | readonly [Uint8Array],
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>;
  /** A call that ends a movement; it does not wait for a session. */
  stop(path: string, request: Uint8Array): Promise<void>;
}

export const machineKey: InjectionKey<Machine> = Symbol('machine');

/** The machine this page is about; only in components and stores of an app that provides it. */
export function useMachine(): Machine {
  const machine = inject(machineKey);
  if (machine === undefined) throw new Error('No machine is provided: main.ts provides it under machineKey.');
  return machine;
}
