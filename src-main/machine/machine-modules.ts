import os from 'node:os';
import { ModuleManager, type ModuleManagerOptions } from './modules/module-manager.ts';
import type { MachineIdentity } from './modules/process/module-environment.ts';
import { LocalFiles } from './modules/local-files.ts';
import type { ModuleKey } from './modules/module-key.ts';
import type { ModuleFilesSource } from './modules/module-files.ts';
import type { JoinedHub } from './cloud/joined-hub.ts';

/** Options for the modules of a machine. */
export interface MachineModulesOptions extends Pick<
  ModuleManagerOptions,
  'home' | 'trust' | 'isEnvironmentUntrusted' | 'timing'
> {
  /** Where their files come from; if missing, only programs on this computer are run. */
  readonly files?: ModuleFilesSource;
  /** The key with which modules authenticate at this machine; read at each start. Without it they get none. */
  readonly key?: () => ModuleKey | undefined;
}

interface Parts
  extends
    MachineModulesOptions,
    Pick<
      ModuleManagerOptions,
      | 'machine'
      | 'clock'
      | 'environment'
      | 'resourceTimeoutMs'
      | 'router'
      | 'mayInterrupt'
      | 'logs'
      | 'recorded'
      | 'isTracing'
    > {
  /** Undefined for a machine without a hub; it may be created after the modules. */
  readonly hub: () => Pick<JoinedHub, 'membership' | 'partId' | 'ownsConfig' | 'link'> | undefined;
}

/** The modules of a machine, with its identity from the hub. */
export function machineModules({ files, key, hub, ...options }: Parts): ModuleManager {
  const identity = (): MachineIdentity => {
    const joined = hub();
    const { membership } = joined ?? {};
    const own = key?.();
    return {
      partId: joined?.partId ?? '',
      machineId: membership?.machineId ?? '',
      fqdn: membership?.fqdn ?? '',
      locationId: membership?.locationId ?? '',
      organizationId: membership?.organizationId ?? '',
      apiKeyId: own?.id ?? '',
      apiKey: own?.key ?? '',
    };
  };
  return new ModuleManager({
    ...options,
    random: Math.random,
    files: files ?? new LocalFiles(options.clock, os.homedir()),
    identity,
    // A hub in this program opens while the machine starts: what a module gets must not depend on which is faster.
    identified: async () => hub()?.link.tried(),
    // The part of such a hub is not known at every start, and the name of a folder must not change.
    dataOwner: () => (hub()?.ownsConfig === true ? '' : (hub()?.partId ?? '')),
  });
}
