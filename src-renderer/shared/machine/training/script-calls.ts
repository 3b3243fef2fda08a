/** A version of a training script. */
export interface ScriptVersion {
  readonly version: string;
  /** `object_detection` and so on; `unspecified` where its publisher did not say. */
  readonly modelType: string;
  /** Whether every organization of the hub may run it. */
  readonly isPublic: boolean;
  /** Wall-clock ms; undefined where the hub does not say. */
  readonly uploadedAt: number | undefined;
}

/** A training script of the registry. */
export interface TrainingScript {
  readonly organizationId: string;
  readonly name: string;
  /** What jobs name: `organization id:name`. */
  readonly itemId: string;
  /** The one that was uploaded last first. */
  readonly versions: readonly ScriptVersion[];
}

/** An archive with a script that is to be stored. */
export interface ScriptToUpload {
  readonly organizationId: string;
  readonly name: string;
  readonly version: string;
  readonly modelType: string;
  readonly isPublic: boolean;
  readonly file: Blob;
}

/** Training scripts in the registry of this page's hub. Calls reject with an `Error` whose message is a sentence. */
export interface ScriptCalls {
  /** Those of an organization, by name. */
  list(organizationId: string): Promise<readonly TrainingScript[]>;
  /**
   * Stores a version that is not there yet.
   * @param onSent is told of bytes that are on their way, all together
   */
  upload(script: ScriptToUpload, onSent: (bytes: number) => void, signal: AbortSignal): Promise<void>;
  delete(script: Pick<TrainingScript, 'organizationId' | 'name'>, version: string): Promise<void>;
}
