import { deferredPart } from '../deferred-part.ts';
import { parse, plan, type Death, type FakeWorld } from './memory-machine.ts';

/** How often the sensor is asked while a text waits. */
const POLL_MS = 2_000;

/** A text on trial. */
interface ModelTrial {
  readonly text: string;
  readonly waitMs: number;
  readonly good: string;
  readonly readyBefore: readonly string[];
  readonly restarts: number;
  /** When it ends by itself; undefined before it has started. */
  endsAt: number | undefined;
}

interface ModelWaiting {
  readonly text: string;
  readonly waitMs: number;
  /** When the sensor is asked next. */
  lookAt: number;
}

/**
 * The specification of how a machine handles texts, as simple as possible: a text is in force, on trial, waiting, or
 * refused. It has no promises, records or turns.
 */
export class ApplyModel {
  stored: string;
  running = '';
  trial: ModelTrial | undefined;
  waiting: ModelWaiting | undefined;
  isDoorClosed = false;
  #now = 0;
  readonly #world: FakeWorld;

  constructor(text: string, world: FakeWorld) {
    this.stored = text;
    this.#world = world;
    this.#carryOut(text, undefined);
  }

  apply(text: string, waitMs: number): void {
    if (parse(text).config === undefined) return;
    const trial = this.#propose(text, waitMs);
    this.stored = text;
    this.#follow(text, waitMs, trial);
  }

  edit(text: string): void {
    if (text === this.stored) return;
    this.stored = text;
    if (parse(text).config === undefined) {
      this.waiting = undefined;
      this.trial = undefined;
      return;
    }
    this.#follow(text, 0, undefined);
  }

  resourcesChanged(): void {
    this.#lookAtTrial();
  }

  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const { trial, waiting } = this;
      const [endsAt, lookAt] = [trial?.endsAt ?? Infinity, waiting?.lookAt ?? Infinity];
      if (Math.min(endsAt, lookAt) > end) break;
      this.#now = Math.min(endsAt, lookAt);
      if (trial !== undefined && endsAt <= lookAt) this.#goBack(trial);
      else if (waiting !== undefined) this.#ask(waiting);
    }
    this.#now = end;
  }

  applyNow(): boolean {
    if (this.waiting === undefined) return false;
    this.#release(this.waiting);
    return true;
  }

  endTrial(keep: boolean): boolean {
    if (this.trial === undefined) return false;
    if (keep) this.trial = undefined;
    else this.#goBack(this.trial);
    return true;
  }

  /** Ends and restarts the server. */
  restart(): void {
    const { trial } = this;
    // If another text waits, what was running starts again; otherwise the stored text starts, whatever the door says.
    const begins = this.waiting === undefined ? this.stored : this.running;
    this.trial = undefined;
    if (trial === undefined || trial.text !== begins) {
      this.#carryOut(begins, undefined);
    } else if (trial.restarts + 1 < 2 && parse(begins).config !== undefined) {
      this.#carryOut(begins, { ...trial, restarts: trial.restarts + 1, endsAt: undefined });
    } else {
      if (this.waiting === undefined) this.stored = trial.good;
      this.#carryOut(trial.good, undefined);
    }
    if (this.waiting !== undefined) this.#ask(this.waiting);
  }

  /** The server ended in the middle of an Apply, before it answered, and starts again. */
  diedIn(text: string, waitMs: number, death: Death): void {
    const mustDefer = this.#mustDefer(text);
    const trial = mustDefer ? this.trial : this.#propose(text, waitMs);
    const isRecorded = mustDefer || trial !== undefined;
    // A text that is already stored has its new terms as soon as they are recorded.
    const isDone = text === this.stored ? isRecorded : death === 'after-write';
    if (isDone) {
      this.stored = text;
      this.waiting = mustDefer ? { text, waitMs, lookAt: 0 } : undefined;
      // No record says that the text on trial was confirmed, so it is still on trial.
      this.trial = trial ?? (this.trial?.text === text ? this.trial : undefined);
    }
    this.restart();
  }

  #follow(text: string, waitMs: number, trial: ModelTrial | undefined): void {
    if (!this.#mustDefer(text)) {
      this.waiting = undefined;
      this.#carryOut(text, trial);
      return;
    }
    this.waiting = { text, waitMs, lookAt: 0 };
    this.#ask(this.waiting);
  }

  #ask(waiting: ModelWaiting): void {
    if (this.isDoorClosed || this.#window() === undefined) this.#release(waiting);
    else waiting.lookAt = this.#now + POLL_MS;
  }

  #release({ text, waitMs }: ModelWaiting): void {
    const trial = this.#propose(text, waitMs);
    this.waiting = undefined;
    this.#carryOut(text, trial);
  }

  #goBack(trial: ModelTrial): void {
    if (this.waiting === undefined) this.stored = trial.good;
    this.#carryOut(trial.good, undefined);
    // If the text that had the window is gone, the window no longer holds anything back.
    if (this.waiting !== undefined && this.#window() === undefined) this.#release(this.waiting);
  }

  #carryOut(text: string, trial: ModelTrial | undefined): void {
    this.running = text;
    this.trial = trial;
    if (trial !== undefined) trial.endsAt = this.#now + trial.waitMs;
    this.#lookAtTrial();
  }

  #lookAtTrial(): void {
    const { trial } = this;
    if (trial === undefined) return;
    const ready = new Set(this.#ready());
    if (requiredIn(trial.text, trial.readyBefore).every((name) => ready.has(name))) this.trial = undefined;
  }

  /** A rollback returns to the last text that was not on trial; what was ready with it must become ready again. */
  #propose(text: string, waitMs: number): ModelTrial | undefined {
    if (waitMs === 0 || this.running === '') return undefined;
    const good = this.trial?.good ?? this.running;
    const readyBefore = this.trial?.readyBefore ?? this.#ready();
    if (requiredIn(text, readyBefore).length === 0) return undefined;
    return { text, waitMs, good, readyBefore, restarts: 0, endsAt: undefined };
  }

  #ready(): readonly string[] {
    const resources = parse(this.running).config?.resources ?? [];
    return resources.flatMap(({ fullName, name, notes }) =>
      this.#world.notReadyReason(name, notes) === '' ? [fullName] : [],
    );
  }

  #mustDefer(text: string): boolean {
    const [running, next] = [parse(this.running).config, parse(text).config];
    if (this.#window() === undefined || next === undefined) return false;
    return deferredPart(plan(running, next)) !== undefined;
  }

  #window(): unknown {
    return parse(this.running).config?.maintenance;
  }
}

function requiredIn(text: string, names: readonly string[]): readonly string[] {
  const there = new Set(parse(text).config?.resources.map(({ fullName }) => fullName));
  return names.filter((name) => there.has(name));
}
