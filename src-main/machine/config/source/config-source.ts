import type { ArmatureError } from '../../../base/errors.ts';

/** A stored text and its revision. */
export interface ConfigText {
  readonly text: string;
  readonly revision: string;
}

export type ConfigChange =
  | ({ readonly kind: 'changed' } & ConfigText)
  /**
   * The text cannot be read. The machine keeps what it is running; `changed` follows when the text is readable again,
   * even unchanged.
   */
  | { readonly kind: 'unreadable'; readonly message: string; readonly error: ArmatureError };

/** The origin of a text, as a history shows it. */
export interface ConfigOrigin {
  /** A key's name, `file` for an edit of the file, `machine` for a trial that was rolled back; '' if unknown here. */
  readonly author: string;
  /** Id of the key that the author has authenticated with; undefined for other authors. */
  readonly authorKeyId?: string | undefined;
  readonly note: string;
  /** One line: `motor-1: max_rpm 100 to 120`. */
  readonly summary: string;
  /** Full names of resources, `module/<name>` and settings that it changed. */
  readonly subjects: readonly string[];
  /** Number of the restored version; 0 if it is not a restore. */
  readonly restoredFrom: number;
  /** Writing back this earlier text (rollback), which must always be possible. */
  readonly isRollback: boolean;
}

export type WriteOutcome =
  | { readonly kind: 'written'; readonly revision: string }
  /** The writer started from an outdated text; this is the stored one. */
  | ({ readonly kind: 'conflict' } & ConfigText);

/** Stores the configuration of a machine, and reports changes of it. */
export interface ConfigSource {
  readonly kind: 'file' | 'hub';
  /** Its location for people: part of problems and messages. */
  readonly path: string;
  /**
   * The current text; '' from a hub that has none yet, or cannot be reached.
   * @throws {ArmatureError} `config.unreadable` or `config.invalid` if there is no valid text
   */
  read(): Promise<ConfigText>;
  /** Calls `listener` with every change until {@link close}. One listener at a time. */
  watch(listener: (change: ConfigChange) => void): void;
  /**
   * Replaces the text as a whole, unless another one than `expectedRevision` is stored. The listener is not called for
   * this text, nor for a different one found.
   * @throws {ArmatureError} `config.read_only`, `config.unreadable`, or the hub's error
   */
  write(text: string, expectedRevision: string, origin: ConfigOrigin): Promise<WriteOutcome>;
  /** The machine runs the text with this revision: it can be used for the next start. */
  used?(revision: string): void;
  /** Whether {@link write} may succeed. */
  isWritable(): Promise<boolean>;
  /** Stops calling the listener. */
  close(): void;
}
