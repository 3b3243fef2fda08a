/** The data manager's attributes, with defaults. */
export interface CaptureSettings {
  /** Undefined for the usual folder. */
  readonly folder: string | undefined;
  readonly isCaptureOff: boolean;
  readonly isSyncOff: boolean;
  /** Replaces the tags of each method, if there are any. */
  readonly tags: readonly string[];
  readonly syncIntervalMs: number;
  /** Files and folders of the user that are sent to the hub too. */
  readonly filePaths: readonly string[];
  /** A file of the user that changed within this time may still be incomplete. */
  readonly fileRestsMs: number;
  readonly uploadsAtOnce: number;
  readonly fileBytes: number;
  /**
   * Fraction of the disk used by all programs, and fraction used by captured data, beyond which the oldest data is
   * deleted.
   */
  readonly diskThresholds: { readonly used: number; readonly captured: number };
  /** Full name of the sensor that says when files may be sent. */
  readonly syncSensor: string | undefined;
}

/** The status of data capture, for GetStatus and the window. Any JSON. */
export type CaptureStatus = Readonly<Record<string, unknown>>;

/** What a data manager does, done by the machine: it knows the other resources and the hub. */
export interface CaptureSession {
  update(settings: CaptureSettings): Promise<void>;
  /**
   * Settles when all data captured so far is at the hub.
   * @throws {ArmatureError} why it is not
   */
  sync(): Promise<void>;
  /** Sends bytes to the hub, over the disk like all captured data. */
  upload(bytes: Uint8Array, tags: readonly string[], datasetIds: readonly string[], mimeType: string): Promise<void>;
  readonly status: CaptureStatus;
  /** Settles when all captured data is on the disk. Never rejects. */
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
