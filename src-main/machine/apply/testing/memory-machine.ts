import { Emitter } from '../../../base/async/emitter.ts';
import { ManualClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { revisionOf } from '../../../base/revision.ts';
import type { PersistentRecord } from '../../../base/files/json-record.ts';
import type { ParsedConfig, MachineConfig } from '../../config/machine-config.ts';
import type { Plan } from '../../config/plan/plan.ts';
import { planChange } from '../../config/plan/planner.ts';
import { parseConfig } from '../../config/reading/parse-config.ts';
import type { ConfigChange, ConfigSource, ConfigText, WriteOutcome } from '../../config/source/config-source.ts';
import { MaintenanceGate } from '../../maintenance/maintenance-gate.ts';
import { builtinCatalog } from '../../models/catalog.ts';
import { Configuration } from '../configuration.ts';
import type { SavedDeferral } from '../deferral-record.ts';
import type { TrialTerms } from '../trial-record.ts';

/**
 * Where a server may end in the middle of an Apply: after saving the rollback record, or after storing the text too.
 */
export type Death = 'after-record' | 'after-write';

const never = (): Promise<never> => new Promise(() => undefined);

const parsed = new Map<string, ParsedConfig>();

/** Parses a text as the machine does, with a cache. */
export function parse(text: string): ParsedConfig {
  const known =
    parsed.get(text) ?? parseConfig(text, { file: 'machine.json', environment: {}, catalog: builtinCatalog });
  parsed.set(text, known);
  return known;
}

const plans = new Map<MachineConfig | undefined, Map<MachineConfig, Plan>>();

/** The plan from one configuration to another, with a cache. */
export function plan(from: MachineConfig | undefined, to: MachineConfig): Plan {
  const known = plans.get(from) ?? new Map<MachineConfig, Plan>();
  plans.set(from, known);
  const found = known.get(to) ?? planChange(from, to, builtinCatalog);
  known.set(to, found);
  return found;
}

/** The disk of a machine: the stored text and everything that survives its server. */
class MemoryDisk {
  text: string;
  trial: TrialTerms | undefined;
  deferral: SavedDeferral | undefined;

  constructor(text: string) {
    this.text = text;
  }
}

/** What happens to resources independently of the configuration. */
export class FakeWorld {
  /** Names of resources that are unplugged. */
  readonly unplugged = new Set<string>();
  /** Names of resources that work although their notes say `breaks`. */
  readonly mended = new Set<string>();

  /** Why a resource is not ready; '' where it is. */
  notReadyReason(name: string, notes: string): string {
    if (notes === BREAKS) return this.mended.has(name) ? '' : `${name} does not start`;
    return this.unplugged.has(name) ? `${name} is unplugged` : '';
  }

  set(name: string, works: boolean): void {
    (works ? this.mended : this.unplugged).add(name);
    (works ? this.unplugged : this.mended).delete(name);
  }
}

/** Notes of a resource whose configuration makes it fail. */
export const BREAKS = 'breaks';

/** A configuration held in memory. Its server can end and start again, even in the middle of an operation. */
export class MemoryMachine {
  readonly clock = new ManualClock();
  /** What the sensor of a maintenance window says. */
  isDoorClosed = false;
  /** Whether the server ended at the point set by {@link dieAt}. */
  hasDied = false;
  readonly world = new FakeWorld();
  configuration!: Configuration;
  readonly #disk: MemoryDisk;
  #states = new Map<string, string>();
  #present: readonly { readonly fullName: string; readonly name: string; readonly notes: string }[] = [];
  readonly #resourcesChanged = new Emitter();
  #listener: ((change: ConfigChange) => void) | undefined;
  #death: Death | undefined;

  constructor(text: string) {
    this.#disk = new MemoryDisk(text);
  }

  get stored(): string {
    return this.#disk.text;
  }

  /** Whether the disk has a record of a waiting text. */
  get hasDeferral(): boolean {
    return this.#disk.deferral !== undefined;
  }

  async start(): Promise<void> {
    this.#death = undefined;
    this.#present = [];
    this.configuration = new Configuration({
      source: this.#source(),
      clock: this.clock,
      logger: silentLogger,
      parse,
      plan,
      applySettings: () => undefined,
      applyLogLevels: () => undefined,
      execute: async (executed) => {
        this.#present = executed.to.resources;
        this.#look();
      },
      failures: () => [],
      resources: {
        ready: () => [...this.#states].flatMap(([name, reason]) => (reason === '' ? [name] : [])),
        notReadyReason: (name) => {
          const reason = this.#states.get(name);
          return reason === '' ? undefined : (reason ?? 'it is not there');
        },
        subscribe: (listener) => {
          const unsubscribe = this.#resourcesChanged.on(listener);
          listener();
          return unsubscribe;
        },
      },
      trialRecord: this.#record('trial'),
      deferralRecord: this.#record('deferral'),
      gate: new MaintenanceGate({ clock: this.clock, readSensor: async () => ({ closed: this.isDoorClosed }) }),
    });
    await this.configuration.load();
    await this.configuration.start();
  }

  /** Ends the server, in any way. */
  end(): void {
    this.configuration.stop();
    this.#listener = undefined;
  }

  /** Edits the file; a running machine notices it. */
  edit(text: string): void {
    if (text === this.#disk.text) return;
    this.#disk.text = text;
    this.#listener?.({ kind: 'changed', text, revision: revisionOf(text) });
  }

  /** Makes a resource work, or stop working. */
  setWorks(name: string, works: boolean): void {
    this.world.set(name, works);
    this.#look();
  }

  /** The server ends for good in the middle of the next Apply, if that reaches this point. */
  dieAt(death: Death): void {
    this.#death = death;
  }

  /** Lets everything happen that does not need time to pass. */
  settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  #look(): void {
    this.#states = new Map(
      this.#present.map(({ fullName, name, notes }) => [fullName, this.world.notReadyReason(name, notes)]),
    );
    this.#resourcesChanged.emit();
  }

  #source(): ConfigSource {
    const disk = this.#disk;
    const current = (): ConfigText => ({ text: disk.text, revision: revisionOf(disk.text) });
    return {
      kind: 'file',
      path: 'machine.json',
      read: async () => current(),
      watch: (listener) => void (this.#listener = listener),
      write: async (text, expectedRevision): Promise<WriteOutcome> => {
        if (this.hasDied) return never();
        if (current().revision !== expectedRevision) return { kind: 'conflict', ...current() };
        disk.text = text;
        if (this.#death === 'after-write') return this.#die();
        return { kind: 'written', revision: revisionOf(text) };
      },
      isWritable: async () => true,
      close: () => undefined,
    };
  }

  #record<Kind extends 'trial' | 'deferral'>(kind: Kind): PersistentRecord<NonNullable<MemoryDisk[Kind]>> {
    const disk = this.#disk;
    return {
      load: async () => disk[kind] as NonNullable<MemoryDisk[Kind]> | undefined,
      save: async (value) => {
        if (this.hasDied) return never();
        disk[kind] = value;
        if (this.#death === 'after-record' && value !== undefined) await this.#die();
      },
    };
  }

  #die(): Promise<never> {
    this.hasDied = true;
    return never();
  }
}
