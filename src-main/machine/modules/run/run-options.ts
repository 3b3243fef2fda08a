import type { Clock } from '../../../base/clock.ts';
import type { Connection } from '../../../rpc/call.ts';
import type { StartCall } from '../../../rpc/peer/outbound-call.ts';
import type { Router } from '../../../rpc/router.ts';
import type { ModuleConfig } from '../../config/machine-config.ts';
import type { LogRegistry } from '../../logging/log-registry.ts';
import type { StartCgroups } from '../cgroup/start-cgroups.ts';
import type { IsolationMethod } from '../isolation/isolation.ts';
import type { ModuleFiles } from '../module-files.ts';
import type { ModuleTiming } from './module-timing.ts';
import type { ProcessGuard } from '../process/process-guard.ts';
import type { StartFolders } from '../process/start-folder.ts';

/** Options for every start of every module. */
export interface RunOptions {
  readonly clock: Clock;
  readonly logs: Pick<LogRegistry, 'module' | 'appendExternal'>;
  readonly timing: ModuleTiming;
  readonly folders: StartFolders;
  readonly cgroups: StartCgroups;
  readonly guard: ProcessGuard;
  /** The server's home. */
  readonly home: string;
  /** How modules are isolated here. */
  readonly isolation: () => Promise<IsolationMethod>;
  /** The router for calls of modules. */
  readonly router: () => Router;
  readonly trust: (connection: Connection, module: string) => void;
  /** Records calls to a module in the trace that they belong to; optional. */
  readonly recorded?: (module: string, start: StartCall) => StartCall;
}

/** The parameters of one start. */
export interface RunSpec {
  readonly config: ModuleConfig;
  readonly files: ModuleFiles;
  readonly environment: (address: string) => Promise<Readonly<Record<string, string>>>;
  /** Creates the folder for the module's permanent data. */
  readonly makeDataFolder: () => Promise<string>;
}
