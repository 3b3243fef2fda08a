import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../../rpc/routing/call-router.ts';
import type { Connection } from '../../../rpc/call.ts';
import { RobotServiceDefinition } from '../../../../proto/gen/core/robot/v1/robot.ts';
import type { ModuleConfig } from '../../config/machine-config.ts';
import type { LogEntry } from '../../logging/log-entry.ts';
import { LogRegistry } from '../../logging/log-registry.ts';
import { LocalFiles } from '../local-files.ts';
import { ModuleManager, type ModuleManagerOptions } from '../module-manager.ts';
import type { ModuleStatus } from '../module-status.ts';

const program = path.join(import.meta.dirname, 'module-program.ts');

/** A manager with real processes, in its own home. */
export interface ModuleBench {
  readonly manager: ModuleManager;
  readonly logs: LogRegistry;
  readonly router: CallRouter;
  readonly home: string;
  /** Connections from modules, and the module each was trusted as. */
  readonly trusted: { readonly connection: Connection; readonly module: string }[];
  /** The configuration of a module that runs {@link program}. */
  config(name: string, behaviour: string, more?: Partial<ModuleConfig>): ModuleConfig;
  /** Settles when the module's status meets the condition. */
  until(name: string, is: (status: ModuleStatus) => boolean): Promise<ModuleStatus>;
  /** The first log entry, past or future, that meets the condition. */
  logged(is: (entry: LogEntry) => boolean): Promise<LogEntry>;
  close(): Promise<void>;
}

/** The test program as an executable: a script, because whoever runs the tests chose which Node is used. */
export function programIn(folder: string, name = 'module'): string {
  const script = path.join(folder, name);
  writeFileSync(
    script,
    `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${program}' "$@"\n`,
  );
  chmodSync(script, 0o755);
  return script;
}

export function moduleConfig(name: string, executablePath: string, more: Partial<ModuleConfig> = {}): ModuleConfig {
  const { env = {}, version = '', moduleId = `acme:${name}`, logLevel } = more;
  return {
    name,
    type: 'local',
    moduleId,
    version,
    executablePath,
    env,
    logLevel,
    isDisabled: false,
    notes: '',
    raw: { name, type: 'local', module_id: moduleId, version, executable_path: executablePath, env: { ...env } },
    pointer: '/modules/0',
    problems: [],
    ...more,
  };
}

export function moduleBench(options: Partial<ModuleManagerOptions> = {}): ModuleBench {
  const home = mkdtempSync(path.join(tmpdir(), 'modules-test-'));
  const executable = programIn(home);
  const logs = new LogRegistry({
    clock: systemClock,
    isDebugFlagSet: false,
    historyCapacity: 10_000,
    store: undefined,
    firstSeq: 1,
  });
  const waiting: { is: (entry: LogEntry) => boolean; resolve: (entry: LogEntry) => void }[] = [];
  logs.addSink({
    name: 'test',
    write: (entry) => waiting.filter(({ is }) => is(entry)).forEach(({ resolve }) => resolve(entry)),
    flushSync: () => undefined,
    close: () => Promise.resolve(),
  });
  const router = new CallRouter({
    clock: systemClock,
    logger: logs.logger('core.web'),
    maxMessageBytes: MAX_MESSAGE_BYTES,
  });
  router.addService(RobotServiceDefinition, { resourceNames: () => ({ resources: [] }) });
  const trusted: { connection: Connection; module: string }[] = [];
  const unknown = { partId: '', machineId: '', fqdn: '', locationId: '', organizationId: '', apiKeyId: '', apiKey: '' };
  const manager = new ModuleManager({
    clock: systemClock,
    random: () => 0,
    logs,
    environment: process.env,
    home,
    files: new LocalFiles(systemClock, home),
    identity: () => unknown,
    identified: () => Promise.resolve(),
    dataOwner: () => '',
    machine: 'bench',
    resourceTimeoutMs: 60_000,
    mayInterrupt: () => Promise.resolve({ isAllowed: true }),
    isEnvironmentUntrusted: false,
    // These tests are about keeping processes running, whichever user they run as.
    isolation: { kind: 'none', reason: 'a test' },
    router: () => router,
    trust: (connection, module) => void trusted.push({ connection, module }),
    ...options,
  });
  return {
    manager,
    logs,
    router,
    home,
    trusted,
    config: (name, behaviour, more = {}) =>
      moduleConfig(name, executable, { ...more, env: { BEHAVIOUR: behaviour, ...more.env } }),
    until: (name, is) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = manager.statuses().find((status) => status.name === name);
          if (found === undefined || !is(found)) return;
          unsubscribe();
          resolve(found);
        };
        const unsubscribe = manager.subscribe(look);
        look();
      }),
    logged: (is) =>
      new Promise((resolve) => {
        const found = logs.history.after(0).find(is);
        if (found === undefined) waiting.push({ is, resolve });
        else resolve(found);
      }),
    async close() {
      await manager.close();
      await logs.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
