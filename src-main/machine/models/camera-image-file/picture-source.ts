import type { Picture } from './picture.ts';

/** Where pictures come from, one after the other. */
export interface PictureSource {
  /**
   * The next picture; undefined after the last one. Not called again before it has settled.
   * @throws {ArmatureError} why there is none; the next call continues after it
   */
  next(): Promise<Picture | undefined>;
  /** Ends a running read and releases all resources. A later `next` starts again. */
  close(): Promise<void>;
}
