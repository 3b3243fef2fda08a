import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { InferenceAnswer, InferenceQuestion, Seen } from './inference-protocol.ts';
import { nameOf, unpackModel } from './stored-model.ts';
import { FairSlots, type SlotLimits } from '../../base/async/fair-slots.ts';
import { Mutex } from '../../base/async/mutex.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { ProcessCalls } from '../../base/processes/process-calls.ts';
import type { Caller } from '../access/caller.ts';
import type { Packages, StoredPackage } from '../registry/models/packages.ts';

export interface RunLimits extends SlotLimits {
  /** What the process of a model may use, bytes. */
  readonly processBytes: number;
  /** Milliseconds. */
  readonly loadMs: number;
  readonly runMs: number;
  /** How long a model stays loaded that nobody uses. */
  readonly idleMs: number;
}

/** So many models are loaded as run at once, so whoever may run finds one that is in nobody's way. */
export const usualRunLimits: RunLimits = {
  processBytes: 1536 * 1024 * 1024,
  loadMs: 60_000,
  runMs: 30_000,
  idleMs: 60_000,
  atOnce: 2,
  atOnceByCaller: 1,
  waiting: 32,
  waitingByCaller: 8,
};

/** Memory of JavaScript in the process: pictures on their way in, outputs on their way out. */
const HEAP_MB = 256;

export interface ModelRunsOptions {
  readonly packages: Packages;
  /** For the files of models that are loaded: what is in it is removed. */
  readonly folder: string;
  readonly clock: Clock;
  readonly limits?: RunLimits | undefined;
}

/** A picture that a model is to look at. */
export interface PictureToSee {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly wantsTensors: boolean;
}

type Calls = ProcessCalls<InferenceQuestion, InferenceAnswer>;

/** A model with its process. Runs are done one after the other. */
interface LoadedModel {
  readonly calls: Promise<Calls>;
  readonly turns: Mutex;
  readonly folder: string;
  users: number;
  idle: Timer | undefined;
}

/**
 * Runs models of the registry, each in a process of its own: few at once, few by one caller. A model stays loaded for a
 * while, as whoever asks about one picture asks about the next.
 */
export class ModelRuns {
  readonly #options: ModelRunsOptions;
  readonly #limits: RunLimits;
  readonly #slots: FairSlots;
  /** By {@link keyOf}, the one that was used last at the end. */
  readonly #loaded = new Map<string, LoadedModel>();
  #loads = 0;
  #isClosed = false;

  constructor(options: ModelRunsOptions) {
    this.#options = options;
    this.#limits = options.limits ?? usualRunLimits;
    this.#slots = new FairSlots(this.#limits, 'runs of models');
  }

  /** Removes what a program left that was killed. */
  async start(): Promise<void> {
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  /**
   * Runs a model on a picture.
   * @param read gives the picture, when it is its turn
   * @param caller who may have only so many runs under way
   * @throws {ArmatureError} `call.bad_argument` for what is no picture; `config.invalid`, `file.unreadable`,
   *   `call.failed_precondition`, `call.unimplemented`, `registry.bad_package` for a model that cannot be run, by its name;
   *   `call.overloaded`, `call.deadline_exceeded`, `call.too_large`, `peer.unreachable`, `call.cancelled`; what `read` throws
   */
  see(model: StoredPackage, read: () => Promise<PictureToSee>, caller: string, signal: AbortSignal): Promise<Seen> {
    return this.#slots.run(caller, signal, async () => {
      // Not before its turn: pictures that wait take no memory.
      const picture = await read();
      const loaded = await this.#use(model);
      try {
        return await loaded.turns.run(async () => {
          const calls = await loaded.calls;
          const answer = await calls.ask({ kind: 'see', ...picture }, this.#limits.runMs);
          if (answer.kind !== 'seen') throw new ArmatureError('internal.bug', 'the process answered out of turn');
          return answer;
        }, signal);
      } catch (thrown) {
        throw named(model, thrown);
      } finally {
        await this.#leave(keyOf(model), loaded);
      }
    });
  }

  /** How many models are loaded. */
  get loadedCount(): number {
    return this.#loaded.size;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#loaded.keys()].map((key) => this.#unload(key)));
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  async #use(model: StoredPackage): Promise<LoadedModel> {
    if (this.#isClosed) throw new ArmatureError('call.cancelled', 'the hub is closing');
    const key = keyOf(model);
    const loaded = this.#loaded.get(key) ?? this.#begin(model);
    loaded.users++;
    loaded.idle?.cancel();
    this.#loaded.delete(key);
    this.#loaded.set(key, loaded);
    const idle = [...this.#loaded].filter(([, { users }]) => users === 0).map(([each]) => each);
    const surplus = Math.max(0, this.#loaded.size - this.#limits.atOnce);
    await Promise.all(idle.slice(0, surplus).map((each) => this.#unload(each)));
    return loaded;
  }

  /** One that failed, or whose process is gone, is begun anew by who comes next. */
  async #leave(key: string, loaded: LoadedModel): Promise<void> {
    loaded.users--;
    const calls = await loaded.calls.catch(() => undefined);
    if (calls?.isAlive !== true) {
      if (this.#loaded.get(key) === loaded) await this.#unload(key);
    } else if (loaded.users === 0) {
      loaded.idle = this.#options.clock.after(this.#limits.idleMs, () => void this.#unload(key));
    }
  }

  #begin(model: StoredPackage): LoadedModel {
    const folder = path.join(this.#options.folder, String(++this.#loads));
    const calls = this.#load(model, folder);
    // It is told to whoever uses it.
    calls.catch(() => undefined);
    return { calls, turns: new Mutex(), folder, users: 0, idle: undefined };
  }

  async #load(model: StoredPackage, folder: string): Promise<Calls> {
    const { processBytes, loadMs } = this.#limits;
    const { path: file, labels } = await unpackModel(this.#options.packages, model, folder);
    const calls: Calls = new ProcessCalls(new URL('./inference-process.ts', import.meta.url), {
      processBytes,
      heapMb: HEAP_MB,
    });
    const threads = Math.max(1, availableParallelism() - 1);
    try {
      await calls.ask({ kind: 'load', path: file, labels, threads, processBytes }, loadMs);
      return calls;
    } catch (thrown) {
      await calls.close();
      throw thrown;
    }
  }

  async #unload(key: string): Promise<void> {
    const loaded = this.#loaded.get(key);
    if (loaded === undefined) return;
    this.#loaded.delete(key);
    loaded.idle?.cancel();
    const calls = await loaded.calls.catch(() => undefined);
    await calls?.close();
    await rm(loaded.folder, { recursive: true, force: true });
  }
}

/** Who has a share of the runs. */
export function keyOfCaller({ author: { type, id } }: Caller): string {
  return `${type} ${id}`;
}

/** Packages with the same bytes may be told to have other labels. */
function keyOf({ organizationId, name, version, sha256 }: StoredPackage): string {
  return `${organizationId}/${name} ${version} ${sha256}`;
}

/** What the process says goes on after the name of the model. */
function named(model: StoredPackage, thrown: unknown): ArmatureError {
  const { code, message, details } = toArmatureError(thrown);
  const name = nameOf(model);
  const words = message.startsWith(name) ? message : `${name}: ${message.replace(/\.$/, '')}.`;
  return new ArmatureError(code, words, { cause: thrown, details });
}
