import { FORMAT_NAME, FORMAT_VERSION, plainJson, secondsOf, type EventLine, type HeaderLine } from './format.ts';

/** A channel, as its first line describes it. */
export interface ChannelInfo {
  /** `left.position`. */
  readonly name: string;
  /** Full name. */
  readonly resource: string;
  /** '' for none. */
  readonly unit: string;
}

/** A value of a channel; undefined, or a number that is none, is a gap. */
export interface RecordedValue {
  readonly channel: ChannelInfo;
  readonly value: number | undefined;
}

/** Writes the lines of a recording. Times are ms since its start. */
export class RecordingWriter {
  readonly #write: (line: string) => void;
  /** By name: the time of its last value, and whether a gap came after it. */
  readonly #channels = new Map<string, { lastMs: number; isGap: boolean }>();

  /** @param write called with each line, with its end */
  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  header(header: Omit<HeaderLine, 'format' | 'version'>): void {
    this.#line({ format: FORMAT_NAME, version: FORMAT_VERSION, ...header });
  }

  /** Writes what was measured at a time. A channel that has no value here has a gap from then on. */
  values(atMs: number, values: readonly RecordedValue[]): void {
    const line: Record<string, number | null> = {};
    let isEmpty = true;
    for (const { channel, value } of values) {
      const isGap = value === undefined || !Number.isFinite(value);
      const known = this.#channels.get(channel.name);
      // A channel begins with a value.
      if (isGap && known?.isGap !== false) continue;
      if (known === undefined) this.#line({ channel: channel.name, resource: channel.resource, unit: channel.unit });
      this.#channels.set(channel.name, { lastMs: atMs, isGap });
      line[channel.name] = isGap ? null : value;
      isEmpty = false;
    }
    if (!isEmpty) this.#line({ t: secondsOf(atMs), v: line });
  }

  /** Writes a gap after the last value of some channels, or of all: what came since is not known. */
  gaps(names: Iterable<string> = this.#channels.keys()): void {
    for (const name of names) {
      const known = this.#channels.get(name);
      if (known === undefined || known.isGap) continue;
      known.isGap = true;
      this.#line({ t: secondsOf(known.lastMs + 1), v: { [name]: null } });
    }
  }

  event(atMs: number, event: Omit<EventLine, 't'>): void {
    this.#line({ t: secondsOf(atMs), ...event });
  }

  #line(content: object): void {
    this.#write(`${JSON.stringify(content, plainJson)}\n`);
  }
}
