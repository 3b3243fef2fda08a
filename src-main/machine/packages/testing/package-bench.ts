import { setTimeout } from 'node:timers/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ManualClock, type Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { ModuleConfig } from '../../config/machine-config.ts';
import type { FilesFollower, FilesObserver, FilesProgress, ModuleFiles } from '../../modules/module-files.ts';
import { RegistryFiles, type RegistryFilesOptions } from '../registry/registry-files.ts';
import { TestLink, TestRegistry } from './test-registry.ts';

/** Records the callbacks of one module. */
export class RecordedFiles implements FilesObserver {
  readonly files: ModuleFiles[] = [];
  readonly progress: (FilesProgress | undefined)[] = [];
  readonly missing: string[] = [];
  follower!: FilesFollower;
  #waiting: (() => void)[] = [];

  /** Offered versions, in order. */
  get versions(): readonly string[] {
    return this.files.map(({ version }) => version);
  }

  get last(): ModuleFiles {
    const last = this.files.at(-1);
    if (last === undefined) throw new Error('no files were offered');
    return last;
  }

  onFiles(files: ModuleFiles): void {
    this.files.push(files);
    this.#notify();
  }

  onProgress(progress: FilesProgress | undefined): void {
    this.progress.push(progress);
    this.#notify();
  }

  onMissing(reason: string): void {
    this.missing.push(reason);
    this.#notify();
  }

  /** Settles when a callback was called and `holds`. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Settles when this version was offered. */
  async offered(version: string): Promise<ModuleFiles> {
    await this.until(() => this.files.at(-1)?.version === version);
    return this.last;
  }

  /** Settles when a version was refused; returns the reason. */
  async refused(version: string): Promise<string> {
    const found = (): FilesProgress | undefined =>
      this.progress.find((one) => one?.step === 'rejected' && one.version === version);
    await this.until(() => found() !== undefined);
    return found()?.reason ?? '';
  }

  #notify(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

export function registryModule(module: Partial<ModuleConfig> = {}): ModuleConfig {
  return {
    name: 'acme_motors',
    type: 'registry',
    moduleId: 'acme:motors',
    version: 'latest',
    executablePath: '',
    env: {},
    logLevel: undefined,
    isDisabled: false,
    notes: '',
    raw: {},
    pointer: '/modules/0',
    problems: [],
    ...module,
  };
}

/** A home with packages, a registry in memory, and the machines that are started on them. */
export class PackageBench {
  readonly home: string;
  readonly registry = new TestRegistry();
  /** The clock starts now, because files have the time of this computer. */
  readonly clock = new ManualClock(Date.now());
  readonly log: string[] = [];
  link = TestLink.to(this.registry);
  #machines: RegistryFiles[] = [];

  private constructor(home: string) {
    this.home = home;
  }

  static async open(): Promise<PackageBench> {
    return new PackageBench(await mkdtemp(path.join(tmpdir(), 'packages-')));
  }

  get folder(): string {
    return path.join(this.home, 'packages');
  }

  machine(options: Partial<RegistryFilesOptions> & { readonly clock?: Clock } = {}): RegistryFiles {
    const machine = new RegistryFiles({
      folder: this.folder,
      machine: 'part-1',
      link: this.link,
      platform: { platform: 'linux/amd64', tags: ['distro:debian'] },
      clock: this.clock,
      random: () => 0,
      logger: this.logger(''),
      moduleLogger: (name) => this.logger(name),
      ...options,
    });
    this.#machines.push(machine);
    return machine;
  }

  follow(machine: RegistryFiles, module: Partial<ModuleConfig> = {}): RecordedFiles {
    const recorded = new RecordedFiles();
    recorded.follower = machine.follow(registryModule(module), () => ({ FROM_MACHINE: 'yes' }), recorded);
    return recorded;
  }

  async close(): Promise<void> {
    await this.passing(Promise.all(this.#machines.map((machine) => machine.close())));
    await rm(this.home, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Ends and restarts the program: its memory is lost. */
  async restart(options: Partial<RegistryFilesOptions> = {}): Promise<RegistryFiles> {
    await this.passing(Promise.all(this.#machines.splice(0).map((machine) => machine.close())));
    return this.machine(options);
  }

  /** Lets time pass until `wanted` settles. */
  async passing<T>(wanted: Promise<T>, stepMs = 250): Promise<T> {
    let isDone = false;
    const settled = wanted.finally(() => (isDone = true));
    settled.catch(() => undefined);
    while (!isDone) {
      this.clock.advance(stepMs);
      // Files and processes take real time, which must not count as minutes here.
      await setTimeout(2);
    }
    return settled;
  }

  logger(name: string): Logger {
    const write =
      (level: string) =>
      (message: string): void =>
        void this.log.push(`${level} ${name}: ${message}`);
    return {
      name,
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (child) => this.logger(`${name}.${child}`),
    };
  }
}
