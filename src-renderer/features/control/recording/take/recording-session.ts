import { type Resource, Resource_State } from '../../../../../proto/gen/core/status/v1/status.ts';
import { shortName } from '../../../../shared/machine/machine-view.ts';
import type { WatchReading } from '../../../../shared/machine/poll.ts';
import { messageOf } from '../../../../shared/machine/rpc/follow-stream.ts';
import { stateName } from '../../../../shared/machine/rpc/status-merge.ts';
import type { SentCommand } from '../../../../shared/machine/sent-commands.ts';
import { PlotClock } from '../../../../shared/plot/plot-clock.ts';
import { SlopeMeter } from '../../../../shared/readings/slope-meter.ts';
import type { Text } from '../../../../shared/text.ts';
import type { EventKind, EventLine } from '../file/format.ts';
import { RecordingWriter, type ChannelInfo, type RecordedValue } from '../file/recording-writer.ts';
import type { recordingMessages } from '../messages.ts';
import { commandText } from './command-text.ts';
import type { RecordedPoll } from './recorded-values.ts';

/** A machine that tells no value within this time does not tell its clock either. */
const MAX_CLOCK_WAIT_MS = 2_000;
/** A value that seems older than this by the machine's clock shows that it was set back. */
const MAX_BACK_MS = 2_000;
const speedWindowMs = 500;

export interface SessionOptions {
  readonly machine: string;
  /** Version of the program; '' if it is not known. */
  readonly program: string;
  readonly hz: number;
  readonly t: Text<typeof recordingMessages>;
  /** Called with each line, with its end. */
  readonly write: (line: string) => void;
  /** Time of the page, ms: `performance.now()`. */
  readonly pageNow: () => number;
  /** The same as wall-clock time, for a machine that does not tell its own. */
  readonly wallNow: () => number;
}

/** What a poll has told so far. */
interface PollMemory {
  lastMs: number;
  isFailing: boolean;
  /** By the name of the number in its answers. */
  readonly channels: Map<string, ChannelInfo>;
}

/**
 * Turns what happens on a page into the lines of a recording. Times are ms since the start, by the machine's clock: what
 * happens before its first value waits for it.
 */
export class RecordingSession {
  readonly #options: SessionOptions;
  readonly #writer: RecordingWriter;
  readonly #startedAt: number;
  readonly #clock = new PlotClock();
  readonly #polls = new Map<string, PollMemory>();
  readonly #speeds = new Map<string, SlopeMeter>();
  readonly #waiting: (() => void)[] = [];
  #states: ReadonlyMap<string, Pick<Resource, 'state' | 'reason'>> = new Map();
  /** Machine time of the start, ms; undefined until the header is written. */
  #origin: number | undefined;
  #isByPageClock = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#writer = new RecordingWriter(options.write);
    this.#startedAt = options.pageNow();
  }

  /** ms since the start. */
  get lengthMs(): number {
    return this.#options.pageNow() - this.#startedAt;
  }

  /** Call it once a second: begins without the machine's clock where no value tells it. */
  tick(): void {
    if (this.#origin !== undefined || this.lengthMs < MAX_CLOCK_WAIT_MS) return;
    this.#isByPageClock = true;
    this.#begin(this.#options.wallNow() - this.lengthMs);
  }

  takeReading(poll: RecordedPoll, reading: WatchReading): void {
    const memory = this.#memoryOf(poll);
    if (reading.skipped > 0) this.#lose(memory);
    if (reading.value === undefined) return this.#takeFailure(poll, memory, reading.error);
    memory.isFailing = false;
    const atMs = this.#timeOf(reading);
    // A value of before the start, or one that was sent again with a new stream.
    if (atMs < 0 || atMs <= memory.lastMs) return;
    memory.lastMs = atMs;
    this.#writer.values(atMs, this.#valuesOf(poll, memory, reading));
  }

  noteCommand(command: SentCommand): void {
    const { t } = this.#options;
    const { resource, method, request } = command;
    const words = commandText(t, command);
    const about = { ...(resource === '' ? {} : { resource }), method };
    this.#event({ event: 'command', text: words, ...about, ...(request === undefined ? {} : { request }) });
    command.answer.catch((thrown: unknown) => {
      const text = t('recording.event.failed', { words, reason: messageOf(thrown) });
      this.#event({ event: 'failed', text, ...about });
    });
  }

  /** Takes the states of all resources: at first those that are not ready, then every change. */
  noteResources(resources: readonly Resource[]): void {
    const before = this.#states;
    this.#states = new Map(resources.map(({ name, state, reason }) => [name, { state, reason }]));
    for (const { name, state, reason } of resources) {
      const known = before.get(name);
      if (known?.state === state && known.reason === reason) continue;
      if (known === undefined && state === Resource_State.READY && before.size === 0) continue;
      if (state !== Resource_State.READY) this.#loseResource(name);
      this.#stateEvent(name, stateName(state), reason);
    }
    for (const name of before.keys()) {
      if (this.#states.has(name)) continue;
      this.#loseResource(name);
      const text = this.#options.t('recording.event.removed', { name: shortName(name) });
      this.#event({ event: 'state', text, resource: shortName(name), state: 'removed' });
    }
  }

  /** @param reason why it was lost; '' for none */
  noteConnection(isConnected: boolean, reason = ''): void {
    const { t } = this.#options;
    if (!isConnected) this.#loseAll();
    const lost = reason === '' ? t('recording.event.lost') : t('recording.event.lostReason', { reason });
    this.note('link', isConnected ? t('recording.event.connected') : lost);
  }

  /** Notes an event in words. */
  note(event: EventKind, text: string): void {
    this.#event({ event, text });
  }

  /** Writes the end. Nothing must follow. */
  end(text: string): void {
    if (this.#origin === undefined) {
      this.#isByPageClock = true;
      this.#begin(this.#options.wallNow() - this.lengthMs);
    }
    this.note('end', text);
  }

  #begin(origin: number): void {
    const { machine, program, hz } = this.#options;
    // Whole, as the header tells it.
    this.#origin = Math.round(origin);
    this.#writer.header({ machine, started: new Date(this.#origin).toISOString(), hz, program });
    for (const write of this.#waiting.splice(0)) write();
  }

  /** Time of an answer, ms since the start. */
  #timeOf({ machineAt, ageMs }: WatchReading): number {
    const pageAt = this.#options.pageNow() - ageMs;
    const byPage = pageAt - this.#startedAt;
    const isFirst = this.#clock.at(pageAt) === undefined;
    this.#clock.note(machineAt, pageAt);
    if (this.#origin === undefined) this.#begin(machineAt - byPage);
    else if (isFirst && this.#isByPageClock) {
      this.#origin = machineAt - byPage;
      this.#isByPageClock = false;
      this.note('clock', this.#options.t('recording.event.clockFound'));
    } else if (machineAt - this.#originNow < byPage - MAX_BACK_MS) {
      this.#clock.clear();
      this.#clock.note(machineAt, pageAt);
      this.#origin = machineAt - byPage;
      this.#loseAll();
      this.note('clock', this.#options.t('recording.event.clockBack'));
    }
    return machineAt - this.#originNow;
  }

  get #originNow(): number {
    return this.#origin ?? 0;
  }

  #takeFailure({ request, resource, hasSpeed }: RecordedPoll, memory: PollMemory, reason: string): void {
    this.#lose(memory);
    if (hasSpeed) this.#speeds.delete(resource);
    if (memory.isFailing) return;
    memory.isFailing = true;
    const name = shortName(resource);
    const text = this.#options.t('recording.event.noValue', { name, method: request.method.name, reason });
    this.#event({ event: 'reading', text, resource: name });
  }

  #valuesOf(poll: RecordedPoll, { channels }: PollMemory, { value, machineAt }: WatchReading): RecordedValue[] {
    const { resource, hasSpeed } = poll;
    const values = new Map<string, RecordedValue>();
    const add = (name: string, number: number | undefined, unit: string): void => {
      const known = channels.get(name);
      const channel = known ?? { name: `${shortName(resource)}.${name}`, resource, unit };
      values.set(name, { channel, value: number });
    };
    const numbers = poll.numbersOf(value);
    for (const { name, value: number, unit } of numbers) add(name, number, unit);
    if (hasSpeed) {
      const meter = this.#speeds.get(resource) ?? new SlopeMeter(speedWindowMs);
      this.#speeds.set(resource, meter);
      const perSecond = meter.add(machineAt, numbers[0]?.value ?? Number.NaN);
      add('speed', perSecond === undefined ? undefined : perSecond * 60, 'rpm');
    }
    // What an answer does not tell any more is a gap.
    for (const [name, channel] of channels) if (!values.has(name)) values.set(name, { channel, value: undefined });
    for (const [name, { channel }] of values) channels.set(name, channel);
    return [...values.values()];
  }

  #memoryOf({ request }: RecordedPoll): PollMemory {
    const known = this.#polls.get(request.id);
    if (known !== undefined) return known;
    const added: PollMemory = { lastMs: -1, isFailing: false, channels: new Map() };
    this.#polls.set(request.id, added);
    return added;
  }

  #loseResource(name: string): void {
    for (const [id, memory] of this.#polls) if (id.startsWith(`${name} `)) this.#lose(memory);
    this.#speeds.delete(name);
  }

  /** Writes gaps for what a poll has told. */
  #lose({ channels }: PollMemory): void {
    this.#writer.gaps([...channels.values()].map(({ name }) => name));
  }

  #loseAll(): void {
    this.#writer.gaps();
    this.#speeds.clear();
  }

  #stateEvent(fullName: string, state: string, reason: string): void {
    const name = shortName(fullName);
    const { t } = this.#options;
    const words = t(`state.kinds.${stateName(this.#states.get(fullName)?.state ?? Resource_State.UNSPECIFIED)}`);
    const text =
      reason === ''
        ? t('recording.event.state', { name, state: words })
        : t('recording.event.stateReason', { name, state: words, reason });
    this.#event({ event: 'state', text, resource: name, state });
  }

  #event(event: Omit<EventLine, 't'>): void {
    const pageAt = this.#options.pageNow();
    const write = (): void => {
      const machineAt = this.#clock.at(pageAt) ?? this.#originNow + pageAt - this.#startedAt;
      this.#writer.event(Math.max(0, machineAt - this.#originNow), event);
    };
    if (this.#origin === undefined) this.#waiting.push(write);
    else write();
  }
}
