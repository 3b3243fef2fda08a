/** Shared by tests of models: a board, a clock that is moved by hand, and a recorded log. */
import { noCapture } from '../catalog/testing/no-capture.ts';
import { setImmediate } from 'node:timers/promises';
import { resource as entryOf } from '../graph/testing/graph-fixture.ts';
import type { BuildContext, BuiltResource } from '../catalog/model.ts';
import { builtinCatalog } from './catalog.ts';
import { FakeBoard } from './board-fake/fake-board.ts';
import type { PinOperation } from './board-fake/fake-pin.ts';
import type { JsonObject, Resource } from '../../apis/resource.ts';
import { ManualClock, type Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { ComputerHardware } from '../../hardware/computer-hardware.ts';
import type { FakeBoardAttributes } from './board-fake/schema.ts';

/** Lets everything run that does not wait for time to pass. */
export function settle(): Promise<void> {
  return setImmediate();
}

export class TestBench {
  /** Used to build models, unless the bench was given another one. */
  readonly clock = new ManualClock();
  /** `level message` of every line logged by the built models. */
  readonly log: string[] = [];
  /** As `-untrusted-env` sets it. */
  isEnvironmentUntrusted = false;
  readonly #resources = new Map<string, Resource>();
  readonly #models = new Map<string, string>();
  readonly #attributes = new Map<string, JsonObject>();
  readonly #hardware: ComputerHardware;
  readonly #modelClock: Clock;

  constructor(hardware = new ComputerHardware('linux'), modelClock?: Clock) {
    this.#hardware = hardware;
    this.#modelClock = modelClock ?? this.clock;
  }

  /** A fake board, which later builds find by its name. */
  board(attributes: Omit<FakeBoardAttributes, 'fail_new'> = {}, name = 'bench'): FakeBoard {
    const board = new FakeBoard(name, { fail_new: false, ...attributes }, this.clock);
    this.add(board);
    return board;
  }

  /** @param model triplet, for code that asks which model another resource has; `attributes` likewise */
  add(resource: Resource, model?: string, attributes?: JsonObject): void {
    if (model !== undefined) this.#models.set(resource.name, model);
    if (attributes !== undefined) this.#attributes.set(resource.name, attributes);
    this.#resources.set(resource.name, resource);
  }

  /** Builds a model as the graph does, and adds it under its name. */
  async build<R extends Resource>(
    api: string,
    model: string,
    name: string,
    attributes: object,
  ): Promise<R & BuiltResource> {
    const entry = builtinCatalog.find(api, `core:builtin:${model}`);
    if (entry === undefined) throw new Error(`no model ${model}`);
    const { build } = await entry.load();
    const line =
      (level: string) =>
      (message: string): void =>
        void this.log.push(`${level} ${message}`);
    const logger: Logger = {
      name,
      debug: line('debug'),
      info: line('info'),
      warn: line('warn'),
      error: line('error'),
      child: () => logger,
    };
    const context: BuildContext<JsonObject> = {
      name,
      attributes: attributes as JsonObject,
      logger,
      clock: this.#modelClock,
      hardware: this.#hardware,
      capture: noCapture,
      others: {
        find: <D extends Resource>(_api: string, other: string) => ({
          resource: this.resource<D>(other),
          model: this.#models.get(other) ?? 'core:builtin:fake',
          attributes: this.#attributes.get(other) ?? {},
        }),
      },
      isEnvironmentUntrusted: this.isEnvironmentUntrusted,
      signal: new AbortController().signal,
      dependency: <D extends Resource>(_api: string, dependency: string) => this.resource<D>(dependency),
      optionalDependency: <D extends Resource>(_api: string, dependency: string) =>
        this.#resources.get(dependency) as D | undefined,
    };
    const built = (await build(context, { config: entryOf(name, {}, { api }), held: [] })) as R & BuiltResource;
    this.add(built, `core:builtin:${model}`, attributes as JsonObject);
    return built;
  }

  /** What was added or built under a name. */
  resource<R extends Resource>(name: string): R {
    const found = this.#resources.get(name);
    if (found === undefined) throw new Error(`no resource ${name}`);
    return found as R;
  }

  /** Advances time in small steps, and lets everything run in between. */
  async pass(ms: number, stepMs = 5): Promise<void> {
    await settle();
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.clock.advance(Math.min(stepMs, ms - passed));
      await settle();
    }
  }

  /**
   * Advances time until a promise settles; returns how long that took. Fails as the promise does, or after `limitMs`.
   */
  async passUntil(promise: Promise<unknown>, limitMs = 60_000, stepMs = 5): Promise<number> {
    let isSettled = false;
    const mark = (): void => void (isSettled = true);
    promise.then(mark, mark);
    const start = this.clock.monotonic();
    await settle();
    while (!isSettled) {
      if (this.clock.monotonic() - start > limitMs) throw new Error(`not settled after ${limitMs} ms`);
      this.clock.advance(stepMs);
      await settle();
    }
    await promise;
    return this.clock.monotonic() - start;
  }
}

/** Pin operations as short lines: `b pwm 0.5`, `a set true`. Numbers are rounded to 1e-9. */
export function recordPins(board: FakeBoard): string[] {
  const lines: string[] = [];
  board.observe(({ pin, op, value }: PinOperation) => {
    const shown = typeof value === 'number' ? Math.round(value * 1e9) / 1e9 : value;
    lines.push(`${pin} ${op} ${String(shown)}`);
  });
  return lines;
}
