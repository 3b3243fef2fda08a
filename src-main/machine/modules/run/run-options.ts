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

/** What every start of every module needs. */
export interface RunOptions {
  readonly clock: Clock;
  readonly logs: Pick<LogRegistry, 'module' | 'appendExternal'>;
  readonly timing: ModuleTiming;
  readonly folders: StartFolders;
  readonly cgroups: StartCgroups;
  readonly guard: ProcessGuard;
  /** Folder of everything the server keeps. */
  readonly home: string;
  /** How modules are kept apart here. */
  readonly isolation: () => Promise<IsolationMethod>;
  /** Where the calls of modules go. */
  readonly router: () => Router;
  readonly trust: (connection: Connection, module: string) => void;
  /** Records calls to a module as part of the trace they belong to; where not given, nobody does. */
  readonly recorded?: (module: string, start: StartCall) => StartCall;
}

/** What one start is made with. */
export interface RunSpec {
  readonly config: ModuleConfig;
  readonly files: ModuleFiles;
  readonly environment: (address: string) => Promise<Readonly<Record<string, string>>>;
  /** Makes the folder for the module's permanent data. */
  readonly makeDataFolder: () => Promise<string>;
}
