import { inject, type InjectionKey } from 'vue';
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

/**
 * The machine, as the screens call it. One implementation speaks RPC
 * (`rpc-machine.ts`); tests and drafts of a screen bring their own.
 * Calls reject with an `Error` whose message is a sentence for people.
 */
export interface Machine {
  readonly connection: MachineConnection;
  readonly config: ConfigCalls;
  readonly history: HistoryCalls;
  readonly reflection: ReflectionCalls;
  readonly hardware: HardwareCalls;
  readonly network: NetworkCalls;
  readonly modules: ModuleCalls;
  readonly packages: PackageCalls;
  readonly diagnostics: DiagnosticsCalls;
  /** What a resource can do, by the generated definition of its API. */
  resource<D extends ServiceDefinition>(definition: D, fullName: string): ResourceClient<D>;
  /** Everything that moves, of every client, stops. */
  stopAll(): Promise<void>;
  /**
   * Calls back when the machine ended this page's safety session and stopped what it moved. Returns an unsubscribe
   * function.
   */
  onSessionExpired(listener: () => void): () => void;
  /** A snapshot, then changes, until the signal or the end of the connection. */
  watchStatus(signal: AbortSignal): AsyncIterable<StatusMessage>;
  /** The last `backlog` lines, then new ones. Does not look at the end of the time asked for. */
  tailLogs(options: LogTailOptions, signal: AbortSignal): AsyncIterable<LogBatch>;
  /** A piece of the past, from the newest back. */
  queryLogs(options: LogQueryOptions, signal: AbortSignal): Promise<LogPageView>;
  /** Polls on the machine, over one stream, each shared with all who look at the same thing. */
  watchReadings(requests: readonly WatchRequest[], signal: AbortSignal): AsyncIterable<WatchReading>;
}

export interface MachineConnection {
  /** Calls back at once with the present state, then on each change. Returns an unsubscribe function. */
  subscribe(onChange: (connection: ConnectionView) => void): () => void;
  /** Does not wait for the countdown. */
  retryNow(): void;
}

export interface LogTailOptions {
  readonly criteria: LogCriteria;
  /** Only lines after this number; 0 is no bound. */
  readonly afterSeq: number;
  /** Stored lines to begin with, at most. */
  readonly backlog: number;
}

export interface LogQueryOptions {
  readonly criteria: LogCriteria;
  /** Only lines between these numbers; 0 is no bound. */
  readonly afterSeq: number;
  readonly beforeSeq: number;
  /** Lines in the piece, at most; the machine gives 1000 at most. */
  readonly limit: number;
  /** Of the piece after this one, with the same bounds; '' for the newest. */
  readonly olderToken: string;
}

export interface ConfigCalls {
  validate(text: string): Promise<readonly Problem[]>;
  plan(text: string): Promise<ConfigPlan>;
  /**
   * @param returnAfterMs time in which what is ready now must be ready again, or the machine goes back; 0 is no way
   * back
   */
  apply(text: string, baseRevision: string, returnAfterMs: number): Promise<ApplyOutcome>;
  /** Stays with the text on trial for good, or goes back now. Rejects where no text of that revision is on trial. */
  endTrial(revision: string, keep: boolean): Promise<void>;
  /** Carries out the text that waits for its maintenance window. Rejects where no text of that revision waits. */
  applyNow(revision: string): Promise<void>;
  /** The present state at once, then every change. */
  watch(signal: AbortSignal): AsyncIterable<ConfigDocument>;
}

/** Packages that the configuration names. */
export interface PackageCalls {
  /** Tries one at once that is not there, or not the one that is wanted. @param name as configured */
  retry(name: string): Promise<void>;
}

/** What the machine records of itself each second. */
export interface DiagnosticsCalls {
  /** Whether it records, and the metrics that there are now and were since a time; ms, by the machine's clock. */
  describe(since: number | undefined, signal: AbortSignal): Promise<DescribeResponse>;
  /** Metrics by name over a time, in stretches of the same length; ms, by the machine's clock. */
  query(
    metrics: readonly string[],
    range: { readonly from: number; readonly to: number },
    stretches: number,
    signal: AbortSignal,
  ): Promise<QueryResponse>;
  /** Metrics by name, as they are sampled. */
  watch(metrics: readonly string[], signal: AbortSignal): AsyncIterable<DiagnosticsSample>;
  /** A support bundle, piece by piece: a gzip of a tar archive. @param backMs how far log and records go back */
  collectBundle(backMs: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

export interface HardwareCalls {
  /** What the computer of the machine has for wires, as of now. Disturbs nothing. */
  discover(): Promise<HardwareView>;
}

export interface NetworkCalls {
  /**
   * Machines in the networks of the machine's computer: all of them, and again whenever that changed. They are looked
   * for meanwhile.
   */
  watchMachines(signal: AbortSignal): AsyncIterable<WatchMachinesResponse>;
}

/** APIs that this page has no code for: what they are, and calls of them as bytes. */
export interface ReflectionCalls {
  /** Full proto name of the service that carries an API; undefined where the machine serves no such API. */
  serviceOf(api: string): Promise<string | undefined>;
  /** The proto files that define a service, with all they import: serialized FileDescriptorProtos. */
  filesOf(service: string): Promise<readonly Uint8Array[]>;
  /** @param path `/package.Service/Method` */
  call(
    path: string,
    requests: AsyncIterable<Uint8Array> | readonly [Uint8Array],
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>;
  /** A call that ends a movement: it waits for no session. */
  stop(path: string, request: Uint8Array): Promise<void>;
}

export const machineKey: InjectionKey<Machine> = Symbol('machine');

/** The machine this page is about. Only within the app that provides it. */
export function useMachine(): Machine {
  const machine = inject(machineKey);
  if (machine === undefined) throw new Error('No machine is provided: main.ts provides it under machineKey.');
  return machine;
}
