import type { ArmatureError } from '../../base/errors.ts';

/** A stored text and its revision. */
export interface ConfigText {
  readonly text: string;
  readonly revision: string;
}

export type ConfigChange =
  | ({ readonly kind: 'changed' } & ConfigText)
  /** The text is gone or cannot be read. What runs goes on; `changed` follows when it is back, with the same text too. */
  | { readonly kind: 'unreadable'; readonly message: string; readonly error: ArmatureError };

export type WriteOutcome =
  | { readonly kind: 'written'; readonly revision: string }
  /** What is stored is not what the writer started from; this is what is stored now. */
  | ({ readonly kind: 'conflict' } & ConfigText);

/** Where the configuration of a machine is stored, and where changes of it come from. */
export interface ConfigSource {
  /** Where a person finds it: named in problems and messages. */
  readonly path: string;
  /**
   * The text as it is now.
   * @throws {ArmatureError} `config.unreadable` or `config.invalid` where there is none that is text
   */
  read(): Promise<ConfigText>;
  /** Tells `listener` of every change from now on, until {@link close}. One listener at a time. */
  watch(listener: (change: ConfigChange) => void): void;
  /**
   * Replaces the text, all of it or nothing, unless another than `expectedRevision` is stored. The listener is told
   * neither of this text nor of one that is in the way.
   * @throws {ArmatureError} `config.read_only` or `config.unreadable`
   */
  write(text: string, expectedRevision: string): Promise<WriteOutcome>;
  /** Whether {@link write} may succeed. */
  isWritable(): Promise<boolean>;
  /** Tells of no change any more. */
  close(): void;
}
