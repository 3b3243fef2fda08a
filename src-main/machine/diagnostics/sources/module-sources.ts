import { processIds, readProcess, residentBytes, TICKS_PER_S } from '../../modules/process/process-table.ts';
import type { Clock } from '../../../base/clock.ts';
import type { ModuleStatus } from '../../modules/module-status.ts';
import { counter, gauge, type AddSource, type DiagnosticSource, type Reading } from '../source.ts';

/** How often the processes of each module are searched; in between, the known ones are measured. */
const POLL_MS = 10_000;

const metrics = [
  counter('cpu', 's', TICKS_PER_S),
  gauge('memory.resident', 'B'),
  gauge('processes'),
  counter('restarts'),
];

export interface ModuleSourcesParts {
  readonly clock: Clock;
  readonly add: AddSource;
  readonly modules: () => readonly ModuleStatus[];
  /** Reads processes; by default those of this computer. */
  readonly processes?: ProcessTable;
}

export interface ProcessTable {
  ids(): readonly number[];
  read(pid: number): { readonly group: number; readonly cpuTicks: number; readonly isZombie: boolean } | undefined;
  residentBytes(pid: number): number;
}

const thisComputer: ProcessTable = { ids: processIds, read: readProcess, residentBytes };

/**
 * One source per module with a process: the usage of all processes in its group. Groups are found by listing all
 * processes now and then, because modules start programs of their own.
 */
export class ModuleSources {
  readonly #parts: ModuleSourcesParts;
  readonly #processes: ProcessTable;
  /** By names of modules. */
  readonly #added = new Map<string, { readonly remove: () => void; status: ModuleStatus }>();
  #members = new Map<number, readonly number[]>();
  #scannedAt = -Infinity;

  constructor(parts: ModuleSourcesParts) {
    this.#parts = parts;
    this.#processes = parts.processes ?? thisComputer;
  }

  /** The number of modules and of running modules. Reading it also adds and removes the sources of modules. */
  get source(): DiagnosticSource {
    return {
      name: 'modules',
      metrics: [gauge('configured'), gauge('running')],
      read: () => {
        const modules = this.#parts.modules();
        this.#refresh(modules);
        return [modules.length, modules.filter(({ pid }) => pid !== 0).length];
      },
    };
  }

  close(): void {
    for (const { remove } of this.#added.values()) remove();
    this.#added.clear();
  }

  #refresh(statuses: readonly ModuleStatus[]): void {
    const now = this.#parts.clock.monotonic();
    const modules = new Map(statuses.map((status) => [status.name, status]));
    for (const [name, { remove }] of this.#added) {
      if (modules.has(name)) continue;
      remove();
      this.#added.delete(name);
    }
    let isNew = false;
    for (const [name, status] of modules) {
      const known = this.#added.get(name);
      isNew ||= status.pid !== 0 && status.pid !== known?.status.pid;
      if (known === undefined) {
        const read = (): Reading => this.#read(name);
        this.#added.set(name, { remove: this.#parts.add({ name: `module.${name}`, metrics, read }), status });
      } else known.status = status;
    }
    const hasProcess = [...modules.values()].some(({ pid }) => pid !== 0);
    if (hasProcess && (isNew || now - this.#scannedAt >= POLL_MS)) {
      this.#scannedAt = now;
      this.#findMembers();
    }
  }

  #findMembers(): void {
    const groups = new Set([...this.#added.values()].map(({ status }) => status.pid));
    const members = new Map<number, number[]>();
    for (const pid of this.#processes.ids()) {
      const group = this.#processes.read(pid)?.group ?? 0;
      if (group !== 0 && groups.has(group)) members.set(group, [...(members.get(group) ?? []), pid]);
    }
    this.#members = members;
  }

  #read(name: string): Reading {
    const status = this.#added.get(name)?.status;
    const { pid = 0, restarts } = status ?? {};
    if (pid === 0) return [undefined, undefined, 0, restarts];
    let [ticks, bytes, count] = [0, 0, 0];
    for (const member of this.#members.get(pid) ?? [pid]) {
      const found = this.#processes.read(member);
      if (found === undefined || found.isZombie) continue;
      ticks += found.cpuTicks;
      bytes += this.#processes.residentBytes(member);
      count++;
    }
    return count === 0 ? [undefined, undefined, 0, restarts] : [ticks / TICKS_PER_S, bytes, count, restarts];
  }
}
