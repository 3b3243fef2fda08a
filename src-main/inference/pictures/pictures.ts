import type { PictureResponse, PictureRequest } from './picture-protocol.ts';
import { ThreadCalls } from '../../base/threads/thread-calls.ts';

type Thread = ThreadCalls<PictureRequest, PictureResponse>;

let shared: Thread | undefined;
let users = 0;

/** One vision service's use of the thread that makes tensors of pictures: all of this program share it. */
export class Pictures {
  #isClosed = false;

  constructor() {
    users++;
  }

  /** @throws {ArmatureError} `call.bad_argument` for data that is not a picture */
  tensorOf(question: PictureRequest): Promise<PictureResponse> {
    if (shared?.isAlive !== true) {
      shared = new ThreadCalls(new URL('./picture-thread.ts', import.meta.url), { name: 'pictures' });
    }
    return shared.ask(question);
  }

  /** The thread ends with its last user. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    users--;
    if (users > 0) return;
    const ended = shared;
    shared = undefined;
    await ended?.close();
  }
}
