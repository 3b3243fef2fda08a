/** The data manager's attributes, with defaults. */
export interface CaptureSettings {
  /** Undefined for the usual folder. */
  readonly folder: string | undefined;
  readonly isCaptureOff: boolean;
  readonly isSyncOff: boolean;
  /** In place of the tags of each method, where there are any. */
  readonly tags: readonly string[];
  readonly syncIntervalMs: number;
  /** Folders and files of the user's that go to the hub too. */
  readonly filePaths: readonly string[];
  /** A file of the user's that was changed within this time may still be written. */
  readonly fileRestsMs: number;
  readonly uploadsAtOnce: number;
  readonly fileBytes: number;
  /** Part of the disk that is in use by all programs, and part that captured data has, beyond which the oldest is deleted. */
  readonly diskThresholds: { readonly used: number; readonly captured: number };
  /** Full name of the sensor that says when files may go. */
  readonly syncSensor: string | undefined;
}

/** The status of data capture, for GetStatus and the window. Any JSON. */
export type CaptureStatus = Readonly<Record<string, unknown>>;

/** What a data manager does, done by the machine: it knows the other resources and the hub. */
export interface CaptureSession {
  update(settings: CaptureSettings): Promise<void>;
  /** Settles when all that was captured by now is at the hub. @throws {ArmatureError} why it is not */
  sync(): Promise<void>;
  /** Brings bytes to the hub, through the disk like all that is captured. */
  upload(bytes: Uint8Array, tags: readonly string[], datasetIds: readonly string[], mimeType: string): Promise<void>;
  readonly status: CaptureStatus;
  /** Settles when all that was captured is on the disk. Never rejects. */
  close(): Promise<void>;
}

/** What a data manager needs from its machine. */
export interface CaptureHost {
  /**
   * @throws {ArmatureError} `call.failed_precondition` where another data manager of this machine has it;
   *   `file.unwritable` where the folder cannot be used
   */
  open(settings: CaptureSettings): Promise<CaptureSession>;
}
