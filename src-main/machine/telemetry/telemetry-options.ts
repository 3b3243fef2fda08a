import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { ServerAddress } from '../../base/server-address.ts';
import type { Status } from '../../base/status.ts';
import type { ServerCall } from '../../rpc/call.ts';
import type { PeerCaller } from '../../rpc/peer/outbound-call.ts';

/** Counts of a machine at one moment. */
export interface MachineFigures {
  readonly inFlight: number;
  readonly sessions: number;
  /** The number in each state. */
  readonly modules: ReadonlyMap<string, number>;
  readonly resources: ReadonlyMap<string, number>;
}

/** Called for calls that pass the router. Must not throw. */
export interface CallListener {
  begin(call: ServerCall): void;
  end(call: ServerCall, status: Status): void;
}

export interface TelemetryOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The name of the machine and the version of the program: spans contain both. */
  readonly machine: string;
  readonly version: string;
  /** Folder for files of spans. */
  readonly folder: () => string;
  /** `-output-telemetry`: metrics are printed all the time. */
  readonly printsMetrics: boolean;
  readonly figures: () => MachineFigures;
  /** Writes to the console; unread output is dropped. */
  readonly print: (text: string) => void;
  /** Connects to a collector; problems appear with the first call. */
  readonly connect: (address: ServerAddress) => Promise<PeerCaller>;
}
