import type { Picture } from './picture.ts';

/** Where pictures come from, one after the other. */
export interface PictureSource {
  /**
   * The next picture; undefined after the last one. Not called again before it has settled.
   * @throws {ArmatureError} why there is none; the next call goes on after it
   */
  next(): Promise<Picture | undefined>;
  /** Ends what is under way and releases what is held. A later `next` begins anew. */
  close(): Promise<void>;
}
