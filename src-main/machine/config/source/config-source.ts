import type { ArmatureError } from '../../../base/errors.ts';

/** A stored text and its revision. */
export interface ConfigText {
  readonly text: string;
  readonly revision: string;
}

export type ConfigChange =
  | ({ readonly kind: 'changed' } & ConfigText)
  /** The text cannot be read. The machine keeps what it runs; `changed` follows when it is back, even unchanged. */
  | { readonly kind: 'unreadable'; readonly message: string; readonly error: ArmatureError };

/** The origin of a text, as a history shows it. */
export interface ConfigOrigin {
  /** A key's name, `file` for an edit of the file, `machine` for a safe apply that went back; '' where not known here. */
  readonly author: string;
  /** Id of the key that the author has proved to have; undefined for anybody else. */
  readonly authorKeyId?: string | undefined;
  readonly note: string;
  /** One line: `motor-1: max_rpm 100 to 120`. */
  readonly summary: string;
  /** Full names of resources, `module/<name>` and settings that it changed. */
  readonly subjects: readonly string[];
  /** Number of the version whose text it brought back; 0 where it is no restore. */
  readonly restoredFrom: number;
  /** A rollback to this text, which must always be possible. */
  readonly isRollback: boolean;
}

export type WriteOutcome =
  | { readonly kind: 'written'; readonly revision: string }
  /** The writer started from another text than the stored one; this is the stored one. */
  | ({ readonly kind: 'conflict' } & ConfigText);

/** Where the configuration of a machine is stored, and where changes of it come from. */
export interface ConfigSource {
  readonly kind: 'file' | 'hub';
  /** Where a person finds it: named in problems and messages. */
  readonly path: string;
  /**
   * The text as it is now; '' from a hub that has none yet, or that cannot be asked.
   * @throws {ArmatureError} `config.unreadable` or `config.invalid` where there is none that is text
   */
  read(): Promise<ConfigText>;
  /** Calls `listener` at every change from now on, until {@link close}. One listener at a time. */
  watch(listener: (change: ConfigChange) => void): void;
  /**
   * Replaces the text, all of it or nothing, unless another than `expectedRevision` is stored. The listener is not
   * called for this text, nor for another one that is found.
   * @throws {ArmatureError} `config.read_only`, `config.unreadable`, or what the hub says
   */
  write(text: string, expectedRevision: string, origin: ConfigOrigin): Promise<WriteOutcome>;
  /** The machine follows the text with this revision: it is one to start with again. */
  used?(revision: string): void;
  /** Whether {@link write} may succeed. */
  isWritable(): Promise<boolean>;
  /** Calls the listener no more. */
  close(): void;
}
