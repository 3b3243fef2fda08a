import type { Picture } from './picture.ts';

/** A source of consecutive pictures. */
export interface PictureSource {
  /**
   * The next picture; undefined after the last one. Not called again before it has settled.
   * @throws {ArmatureError} why there is no picture; the next call continues with the following one
   */
  next(): Promise<Picture | undefined>;
  /** Ends a running read and releases all resources. A later `next` starts again. */
  close(): Promise<void>;
}
