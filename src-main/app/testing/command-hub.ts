import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { HubStation } from '../hub/hub-station.ts';
import type { ModuleIo } from '../module-commands/module-io.ts';

/** A hub of its own on a port, and what a command of its owner sees of the world. */
export class CommandHub {
  readonly hub: HubStation;
  /** Where commands run; the hub's data is in it too. */
  readonly folder: string;
  readonly io: ModuleIo;
  /** What the command that ran last has printed. */
  out = '';
  errors = '';

  private constructor(hub: HubStation, folder: string) {
    this.hub = hub;
    this.folder = folder;
    const key = hub.firstStart?.ownerKey;
    this.io = {
      stdout: (text) => (this.out += text),
      stderr: (text) => (this.errors += text),
      env: { SVC_HUB: hub.url, SVC_API_KEY_ID: key?.id, SVC_API_KEY: key?.secret, SVC_HOME: path.join(folder, 'home') },
      cwd: folder,
      root: folder,
      signal: new AbortController().signal,
    };
  }

  static async open(): Promise<CommandHub> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-command-'));
    const hub = await HubStation.open({
      address: path.join(folder, 'hub'),
      folder: path.join(folder, 'hub'),
      clock: systemClock,
      logger: silentLogger,
      isDebug: false,
      bind: { host: '127.0.0.1', port: 0 },
      isTlsOff: true,
      allowsInsecureCreds: false,
      allowedOrigins: [],
      onLost: () => undefined,
      pageFolder: undefined,
    });
    await hub.listen();
    return new CommandHub(hub, folder);
  }

  async close(): Promise<void> {
    await this.hub.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Carries out one command. @returns its exit code */
  run(command: (args: readonly string[], io: ModuleIo) => Promise<number>, args: readonly string[]): Promise<number> {
    [this.out, this.errors] = ['', ''];
    return command(args, this.io);
  }
}
