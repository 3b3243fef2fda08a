import { PlotBuffer } from '../../../../shared/plot/plot-buffer.ts';
import { eventKinds, FORMAT_NAME, FORMAT_VERSION, type EventKind, type HeaderLine } from './format.ts';
import type { RecordedChannel, RecordedEvent, Recording, RecordingProblem } from './recording.ts';

type Line = Readonly<Record<string, unknown>>;

/** So many samples of a channel as no recording has: it ends at its size before. */
const MAX_SAMPLES = 2 ** 24;
const MAX_FOUND_LENGTH = 80;
/** A longer line is none of a recording, and its end need not be waited for. */
const MAX_LINE_LENGTH = 4_000_000;

/**
 * Reads a recording piece by piece. Nothing throws: lines up to the first that is broken are read, and the result says
 * what is wrong with that one.
 */
export class RecordingReader {
  #rest = '';
  #lineNumber = 0;
  #header: HeaderLine | undefined;
  #startedMs = 0;
  #lastMs = 0;
  #hasEnd = false;
  #leftOut = 0;
  #problem: RecordingProblem | undefined;
  readonly #channels = new Map<string, RecordedChannel>();
  readonly #events: RecordedEvent[] = [];

  /** Whether nothing more is read: a line was broken. */
  get isOver(): boolean {
    return this.#problem !== undefined;
  }

  /** Takes the next piece of the text, wherever it was cut. */
  take(piece: string): void {
    const text = this.#rest + piece;
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0 && !this.isOver; end = text.indexOf('\n', start)) {
      this.#take(text.slice(start, end), 'broken');
      start = end + 1;
    }
    this.#rest = text.slice(start);
    if (this.isOver || this.#rest.length <= MAX_LINE_LENGTH) return;
    this.#take(this.#rest, 'broken');
    this.#rest = '';
  }

  /** The recording, or why there is none. */
  finish(): Recording | RecordingProblem {
    // The last line may lack its end only if it is complete otherwise.
    if (!this.isOver && this.#rest.trim() !== '') this.#take(this.#rest, 'cut');
    if (this.#header === undefined) return this.#problem ?? { kind: 'empty', line: 1, found: '' };
    return {
      header: this.#header,
      from: this.#startedMs,
      to: this.#lastMs,
      channels: [...this.#channels.values()],
      events: this.#events.sort((one, other) => one.at - other.at),
      hasEnd: this.#hasEnd,
      leftOut: this.#leftOut,
      problem: this.#problem,
    };
  }

  #take(text: string, ifBroken: 'broken' | 'cut'): void {
    this.#lineNumber += 1;
    if (text.trim() === '') return;
    const line = parsed(text);
    if (this.#header === undefined) this.#takeHeader(line, text);
    else if (line === undefined || !this.#takeLine(line)) this.#stop(ifBroken, text);
  }

  #stop(kind: RecordingProblem['kind'], found: string): void {
    this.#problem = { kind, line: this.#lineNumber, found: found.trim().slice(0, MAX_FOUND_LENGTH) };
  }

  #takeHeader(line: Line | undefined, text: string): void {
    const startedMs = typeof line?.['started'] === 'string' ? Date.parse(line['started']) : Number.NaN;
    if (line?.['format'] !== FORMAT_NAME || typeof line['version'] !== 'number') return this.#stop('none', text);
    if (line['version'] > FORMAT_VERSION) return this.#stop('newer', String(line['version']));
    if (Number.isNaN(startedMs)) return this.#stop('none', text);
    this.#startedMs = this.#lastMs = startedMs;
    const words = (key: string): string => (typeof line[key] === 'string' ? line[key] : '');
    this.#header = {
      format: FORMAT_NAME,
      version: line['version'],
      machine: words('machine'),
      started: words('started'),
      hz: typeof line['hz'] === 'number' ? line['hz'] : 0,
      program: words('program'),
    };
  }

  /** @returns whether the line is valid; one of a kind that this program does not know is skipped */
  #takeLine(line: Line): boolean {
    if (typeof line['channel'] === 'string') {
      const { resource, unit } = line;
      this.#channelOf(line['channel'], isText(resource) ? resource : '', isText(unit) ? unit : '');
      return true;
    }
    if (!('v' in line) && !('event' in line)) return true;
    const { t, v } = line;
    if (typeof t !== 'number') return false;
    const at = this.#startedMs + Math.round(t * 1e6) / 1e3;
    this.#lastMs = Math.max(this.#lastMs, at);
    if ('event' in line) return this.#takeEvent(at, line);
    return isRecord(v) && this.#takeValues(at, v);
  }

  #takeEvent(at: number, { event, text, resource, state }: Line): boolean {
    if (!isText(event)) return false;
    const kind = (eventKinds as readonly string[]).includes(event) ? (event as EventKind) : 'other';
    this.#events.push({
      at,
      kind,
      text: isText(text) ? text : event,
      resource: isText(resource) ? resource : '',
      state: isText(state) ? state : '',
    });
    if (kind === 'end') this.#hasEnd = true;
    return true;
  }

  #takeValues(at: number, values: Line): boolean {
    for (const name in values) {
      const value = values[name];
      if (value !== null && typeof value !== 'number') return false;
      const { buffer } = this.#channels.get(name) ?? this.#channelOf(name, '', '');
      if (value === null) buffer.addGap();
      // A buffer that is told of an earlier time would begin anew.
      else if (buffer.length > 0 && at <= buffer.timeAt(buffer.length - 1)) this.#leftOut += 1;
      else buffer.add(at, value);
    }
    return true;
  }

  #channelOf(name: string, resource: string, unit: string): RecordedChannel {
    const known = this.#channels.get(name);
    const channel = { name, resource, unit, buffer: known?.buffer ?? new PlotBuffer(MAX_SAMPLES) };
    this.#channels.set(name, channel);
    return channel;
  }
}

function parsed(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    // The caller says which line it is.
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isRecord(value: unknown): value is Line {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
