import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ManualClock, systemClock } from '../../../base/clock.ts';
import { Emitter } from '../../../base/async/emitter.ts';
import { type Logger, silentLogger } from '../../../base/logger.ts';
import { ConfigFile } from '../../config/source/config-file.ts';
import type { MachineConfig } from '../../config/machine-config.ts';
import { parseConfig } from '../../config/reading/parse-config.ts';
import type { Plan } from '../../config/plan/plan.ts';
import { planChange } from '../../config/plan/planner.ts';
import type { ApplyOutcome, Outcome } from '../config-state.ts';
import { Configuration } from '../configuration.ts';
import { builtinCatalog } from '../../models/catalog.ts';
import { TrialRecordFile } from '../trial-record.ts';
import { DeferralRecordFile } from '../deferral-record.ts';
import { MaintenanceGate } from '../../maintenance/maintenance-gate.ts';

const DOOR = { name: 'door', api: 'core:component:sensor', model: 'fake' };
export const WINDOW = { sensor_name: 'core:component:sensor/door', maintenance_allowed_key: 'closed' };

/** A configuration of generic resources, with the door sensor and its window unless `changed` says otherwise. */
export function textOf(names: readonly string[], changed: Record<string, unknown> = {}): string {
  const components = [DOOR, ...names.map((name) => ({ name, api: 'core:component:generic', model: 'fake' }))];
  return JSON.stringify({ components, maintenance: WINDOW, ...changed });
}

/** A clock that can be set wrong: its wall clock jumps, its timers do not. */
export class JumpingClock extends ManualClock {
  jumpMs = 0;

  override now(): number {
    return super.now() + this.jumpMs;
  }
}

/** A configuration in a file. The test opens and closes its door, and ends and restarts its server. */
export class WaitingMachine {
  clock = new JumpingClock();
  configuration!: Configuration;
  /** The door sensor's readings; an error is thrown. */
  readings: Record<string, unknown> | Error = { closed: false };
  /** Returned before `readings`, one per poll. */
  readonly nextReadings: Record<string, unknown>[] = [];
  looks = 0;
  executed: Plan[] = [];
  levelsOf: MachineConfig[] = [];
  outcomes: Outcome[] = [];
  readonly lines: string[] = [];
  /** Names of resources that do not become ready. */
  readonly stuck = new Set<string>();
  #states = new Map<string, string | undefined>();
  readonly #resourcesChanged = new Emitter();
  readonly folder: string;
  readonly file: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.file = path.join(folder, 'machine.json');
  }

  static async create(text: string): Promise<WaitingMachine> {
    const machine = new WaitingMachine(await mkdtemp(path.join(os.tmpdir(), 'armature-maintenance-')));
    await writeFile(machine.file, text);
    await machine.start();
    return machine;
  }

  async start(): Promise<void> {
    this.executed = [];
    this.levelsOf = [];
    this.outcomes = [];
    this.#states = new Map();
    const { clock, file } = this;
    const keep = (message: string): void => void this.lines.push(message);
    const logger: Logger = { ...silentLogger, info: keep, warn: keep, error: keep };
    this.configuration = new Configuration({
      source: new ConfigFile({ path: file, clock: systemClock, pollMs: 50, emptySettleMs: 50 }),
      clock,
      logger,
      parse: (text) => parseConfig(text, { file, environment: {}, catalog: builtinCatalog }),
      plan: (from, to) => planChange(from, to, builtinCatalog),
      applySettings: ({ to }) => void this.levelsOf.push(to),
      applyLogLevels: (config) => void this.levelsOf.push(config),
      execute: async (plan) => {
        this.executed.push(plan);
        this.#states.clear();
        for (const { fullName, name } of plan.to.resources) {
          this.#states.set(fullName, this.stuck.has(name) ? `${name} is unplugged` : undefined);
        }
        this.#resourcesChanged.emit();
      },
      failures: () => [],
      resources: {
        ready: () => [...this.#states].flatMap(([name, reason]) => (reason === undefined ? [name] : [])),
        notReadyReason: (name) => (this.#states.has(name) ? this.#states.get(name) : 'it is not there'),
        subscribe: (listener) => {
          const unsubscribe = this.#resourcesChanged.on(listener);
          // As the graph does.
          listener();
          return unsubscribe;
        },
      },
      trialRecord: new TrialRecordFile(path.join(this.folder, 'state', 'trial.json')),
      deferralRecord: new DeferralRecordFile(this.recordFile),
      gate: new MaintenanceGate({
        clock,
        readSensor: async () => {
          this.looks++;
          const next = this.nextReadings.shift() ?? this.readings;
          if (next instanceof Error) throw next;
          return next;
        },
      }),
    });
    await this.configuration.load();
    this.configuration.subscribe(() => {
      const { outcome } = this.configuration.state;
      if (outcome !== this.outcomes.at(-1)) this.outcomes.push(outcome);
    });
    await this.configuration.start();
  }

  /** Ends the server, in any way. */
  end(): void {
    this.configuration.stop();
  }

  async remove(): Promise<void> {
    this.end();
    await rm(this.folder, { recursive: true, force: true });
  }

  get recordFile(): string {
    return path.join(this.folder, 'state', 'deferred.json');
  }

  get stored(): Promise<string> {
    return readFile(this.file, 'utf8');
  }

  /** Names of the resources in the plan that the machine last received. */
  get running(): readonly string[] {
    return this.configuration.running?.resources.map(({ name }) => name) ?? [];
  }

  get outcome(): Outcome {
    return this.configuration.state.outcome;
  }

  become(fullName: string, reason: string | undefined): void {
    this.#states.set(fullName, reason);
    this.#resourcesChanged.emit();
  }

  apply(text: string, returnAfterMs = 0): Promise<ApplyOutcome> {
    const { revision } = this.configuration.state;
    return this.configuration.apply({ text, baseRevision: revision, author: 'ada', note: '', returnAfterMs });
  }

  /** Settles when the state is as wanted. */
  reach(isThere: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const unsubscribe = this.configuration.subscribe(check);
      function check(): void {
        if (!isThere()) return;
        unsubscribe();
        resolve();
      }
      check();
    });
  }

  /** Applies a text and waits until it is deferred. */
  async applyAndWait(text: string, returnAfterMs = 0): Promise<void> {
    expectApplied(await this.apply(text, returnAfterMs));
    await this.reach(() => this.outcome.kind === 'deferred');
  }

  inForce(text: string): Promise<void> {
    return this.reach(() => {
      const { state } = this.configuration;
      return state.text === text && state.appliedRevision === state.revision && state.outcome.kind === 'applied';
    });
  }
}

function expectApplied({ kind }: ApplyOutcome): void {
  if (kind !== 'applied') throw new Error(`Apply answered ${kind}.`);
}
