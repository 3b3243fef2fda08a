/*
 * The format of a recording: NDJSON, a JSON object on each line, in the order in which they happened.
 * docs/recordings.md describes it for people who read recordings with their own programs.
 */

export const FORMAT_NAME = 'armature-recording';
/** A program reads this version and those before it. Keys and events may be added without another one. */
export const FORMAT_VERSION = 1;
export const FILE_ENDING = '.recording.ndjson';

/** The first line. */
export interface HeaderLine {
  readonly format: typeof FORMAT_NAME;
  readonly version: number;
  readonly machine: string;
  /** ISO time, UTC, of the machine's clock: times of all lines are seconds after it. */
  readonly started: string;
  /** How often each value was asked for. */
  readonly hz: number;
  /** Version of the program; '' if it is not known. */
  readonly program: string;
}

/** Comes before the first value of a channel. */
export interface ChannelLine {
  /** `left.position`. */
  readonly channel: string;
  /** `core:component:motor/left`. */
  readonly resource: string;
  /** '' for none. */
  readonly unit: string;
}

/** Values of one time, by channel; null is a gap that lasts up to the next value. */
export interface ValuesLine {
  /** Seconds since the start. */
  readonly t: number;
  readonly v: Readonly<Record<string, number | null>>;
}

export const eventKinds = ['command', 'failed', 'state', 'link', 'page', 'reading', 'clock', 'end'] as const;

/**
 * What an event is about: a command of the page, a command that failed, the state of a resource, the connection, the
 * window (hidden or shown), values that could not be read, the machine's clock, the end.
 */
export type EventKind = (typeof eventKinds)[number];

export interface EventLine {
  /** Seconds since the start. */
  readonly t: number;
  readonly event: EventKind;
  /** For people. */
  readonly text: string;
  /** Short name; missing for what is about no resource. */
  readonly resource?: string;
  /** Of a command. */
  readonly method?: string;
  /** Of a command. */
  readonly request?: unknown;
  /** Of a resource: `ready`, `failed`. */
  readonly state?: string;
}

/** Values that JSON does not have: a big integer becomes a text, bytes become their number. */
export function plainJson(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Uint8Array ? `${value.length} bytes` : value;
}

/** Seconds with three decimals, as times are written. */
export function secondsOf(ms: number): number {
  return Math.round(ms) / 1_000;
}
