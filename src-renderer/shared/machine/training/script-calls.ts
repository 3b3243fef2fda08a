/** A version of a training script. */
export interface ScriptVersion {
  readonly version: string;
  /** `object_detection` and so on; `unspecified` if its publisher did not say. */
  readonly modelType: string;
  /** Whether every organization of the hub may run it. */
  readonly isPublic: boolean;
  /** Wall-clock ms; undefined if the hub does not say. */
  readonly uploadedAt: number | undefined;
}

/** A training script of the registry. */
export interface TrainingScript {
  readonly organizationId: string;
  readonly name: string;
  /** The id in jobs: `organization id:name`. */
  readonly itemId: string;
  /** The latest upload first. */
  readonly versions: readonly ScriptVersion[];
}

/** An archive with a script to store. */
export interface ScriptToUpload {
  readonly organizationId: string;
  readonly name: string;
  readonly version: string;
  readonly modelType: string;
  readonly isPublic: boolean;
  readonly file: Blob;
}

/** Training scripts of this page's hub. Calls reject with an `Error` whose message is a sentence for people. */
export interface ScriptCalls {
  /** Those of an organization, by name. */
  list(organizationId: string): Promise<readonly TrainingScript[]>;
  /**
   * Stores a new version.
   * @param onSent called with the total of bytes sent so far
   */
  upload(script: ScriptToUpload, onSent: (bytes: number) => void, signal: AbortSignal): Promise<void>;
  delete(script: Pick<TrainingScript, 'organizationId' | 'name'>, version: string): Promise<void>;
}
