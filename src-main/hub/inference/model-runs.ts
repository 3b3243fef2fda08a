import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { InferenceAnswer, InferenceQuestion, InferenceResult } from './inference-protocol.ts';
import { nameOf, unpackModel } from './stored-model.ts';
import { FairSlots, type SlotLimits } from '../../base/async/fair-slots.ts';
import { Mutex } from '../../base/async/mutex.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { ProcessCalls } from '../../base/processes/process-calls.ts';
import type { Caller } from '../access/caller.ts';
import type { Packages, StoredPackage } from '../registry/models/packages.ts';

export interface RunLimits extends SlotLimits {
  /** Memory that the process of a model may use. */
  readonly processBytes: number;
  /** Time limits, milliseconds. */
  readonly loadMs: number;
  readonly runMs: number;
  /** How long an unused model stays loaded, milliseconds. */
  readonly idleMs: number;
}

/** `atOnce` also limits the loaded models: a run that is admitted can always unload an unused one. */
export const defaultRunLimits: RunLimits = {
  processBytes: 1536 * 1024 * 1024,
  loadMs: 60_000,
  runMs: 30_000,
  idleMs: 60_000,
  atOnce: 2,
  atOnceByCaller: 1,
  waiting: 32,
  waitingByCaller: 8,
};

/** JavaScript heap of the process: it holds incoming pictures and outgoing results. */
const HEAP_MB = 256;

export interface ModelRunsOptions {
  readonly packages: Packages;
  /** For the files of loaded models. Its content is removed at start and at close. */
  readonly folder: string;
  readonly clock: Clock;
  readonly limits?: RunLimits | undefined;
}

/** A picture to run a model on. */
export interface PictureInput {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly wantsTensors: boolean;
}

type Calls = ProcessCalls<InferenceQuestion, InferenceAnswer>;

/** A model with its process, which does one run after the other. */
interface LoadedModel {
  readonly calls: Promise<Calls>;
  readonly turns: Mutex;
  readonly folder: string;
  users: number;
  idle: Timer | undefined;
}

/**
 * Runs models of the registry, each in a process of its own, with limits for all runs and for those of one caller. A
 * model stays loaded for a while, because a caller that asks about one picture usually asks about the next.
 */
export class ModelRuns {
  readonly #options: ModelRunsOptions;
  readonly #limits: RunLimits;
  readonly #slots: FairSlots;
  /** By {@link keyOf}; the most recently used one is last. */
  readonly #loaded = new Map<string, LoadedModel>();
  #loads = 0;
  #isClosed = false;

  constructor(options: ModelRunsOptions) {
    this.#options = options;
    this.#limits = options.limits ?? defaultRunLimits;
    this.#slots = new FairSlots(this.#limits, 'runs of models');
  }

  /** Removes files that are left if the hub was killed. */
  async start(): Promise<void> {
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  /**
   * Runs a model on a picture.
   * @param read reads the picture; called when the run begins
   * @param caller key of the caller, for the limits of one caller
   * @throws {ArmatureError} `call.bad_argument` if it is no picture; `config.invalid`, `file.unreadable`,
   *   `call.failed_precondition`, `call.unimplemented`, `registry.bad_package` if the model cannot be run;
   *   `call.overloaded`, `call.deadline_exceeded`, `call.too_large`, `peer.unreachable`, `call.cancelled`; what `read`
   *   throws
   */
  run(
    model: StoredPackage,
    read: () => Promise<PictureInput>,
    caller: string,
    signal: AbortSignal,
  ): Promise<InferenceResult> {
    return this.#slots.run(caller, signal, async () => {
      // Read only now, so that queued pictures take no memory.
      const picture = await read();
      const loaded = await this.#acquire(model);
      try {
        return await loaded.turns.run(async () => {
          const calls = await loaded.calls;
          const answer = await calls.ask({ kind: 'see', ...picture }, this.#limits.runMs);
          if (answer.kind !== 'seen') throw new ArmatureError('internal.bug', 'the process answered out of turn');
          return answer;
        }, signal);
      } catch (thrown) {
        throw withModelName(model, thrown);
      } finally {
        await this.#release(keyOf(model), loaded);
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

  async #acquire(model: StoredPackage): Promise<LoadedModel> {
    if (this.#isClosed) throw new ArmatureError('call.cancelled', 'the hub is closing');
    const key = keyOf(model);
    const loaded = this.#loaded.get(key) ?? this.#startLoading(model);
    loaded.users++;
    loaded.idle?.cancel();
    this.#loaded.delete(key);
    this.#loaded.set(key, loaded);
    const idle = [...this.#loaded].filter(([, { users }]) => users === 0).map(([each]) => each);
    const surplus = Math.max(0, this.#loaded.size - this.#limits.atOnce);
    await Promise.all(idle.slice(0, surplus).map((each) => this.#unload(each)));
    return loaded;
  }

  /** A model that failed, or whose process has ended, is unloaded; the next run loads it again. */
  async #release(key: string, loaded: LoadedModel): Promise<void> {
    loaded.users--;
    const calls = await loaded.calls.catch(() => undefined);
    if (calls?.isAlive !== true) {
      if (this.#loaded.get(key) === loaded) await this.#unload(key);
    } else if (loaded.users === 0) {
      loaded.idle = this.#options.clock.after(this.#limits.idleMs, () => void this.#unload(key));
    }
  }

  #startLoading(model: StoredPackage): LoadedModel {
    const folder = path.join(this.#options.folder, String(++this.#loads));
    const calls = this.#load(model, folder);
    // The runs that use it get the error.
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

/** Key of a caller for the limits of one caller. */
export function keyOfCaller({ author: { type, id } }: Caller): string {
  return `${type} ${id}`;
}

/** Not only the hash: packages with the same bytes may have different labels in their metadata. */
function keyOf({ organizationId, name, version, sha256 }: StoredPackage): string {
  return `${organizationId}/${name} ${version} ${sha256}`;
}

/** Puts the name of the model before the message of an error, unless it is there. */
function withModelName(model: StoredPackage, thrown: unknown): ArmatureError {
  const { code, message, details } = toArmatureError(thrown);
  const name = nameOf(model);
  const words = message.startsWith(name) ? message : `${name}: ${message.replace(/\.$/, '')}.`;
  return new ArmatureError(code, words, { cause: thrown, details });
}
