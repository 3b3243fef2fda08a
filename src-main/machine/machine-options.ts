import type { Clock } from '../base/clock.ts';
import type { HubMembership } from './cloud/joined-hub.ts';
import type { MachineConfig } from './config/machine-config.ts';
import type { LogRegistry } from './logging/log-registry.ts';
import type { ComputerHardware } from '../hardware/computer-hardware.ts';
import type { ModelCatalog } from './catalog/catalog-type.ts';
import type { RemoteRules } from './remote-connectors.ts';
import type { MachineModulesOptions } from './machine-modules.ts';

export interface MachineOptions {
  readonly name: string;
  readonly version: string;
  /** The configuration, or the file that says which hub has it. */
  readonly configPath: string;
  /** Undefined for a machine without a hub. */
  readonly hub?: HubMembership | undefined;
  /** Folder for data that must survive a crash; created when needed. */
  readonly stateFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly catalog: ModelCatalog;
  /** The hardware that built-in models drive; closed with the machine. */
  readonly hardware: ComputerHardware;
  readonly clock: Clock;
  readonly logs: LogRegistry;
  readonly resourceTimeoutMs: number;
  readonly modules: MachineModulesOptions;
  readonly remotes: RemoteRules;
  /** `-output-telemetry`: print metrics. */
  readonly printsTelemetry?: boolean;
  /** `-reveal-sensitive-config-diffs`: log what changed in a configuration, values included. */
  readonly revealsDiffs: boolean;
  /** Applies settings of the port: access, allowed origins. Called for each applied configuration. */
  readonly onConfig: (config: MachineConfig) => void;
  /** Ends the program in order: RobotService/Shutdown was called. */
  readonly shutDown: () => void;
}
