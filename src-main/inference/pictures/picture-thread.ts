import { parentPort } from 'node:worker_threads';
import type { PictureResponse, PictureRequest } from './picture-protocol.ts';
import { tensorOfPicture } from './picture-tensor.ts';
import { answerCalls, type ThreadAnswer } from '../../base/threads/thread-calls.ts';

/*
 * The thread that makes tensors of pictures, for all vision services of the machine: processing the pixels takes
 * milliseconds, in which the machine could not answer.
 */

answerCalls<PictureRequest, PictureResponse>(parentPort, async (question): Promise<ThreadAnswer<PictureResponse>> => {
  const answer = await tensorOfPicture(question);
  return { answer, transferred: [answer.tensor.data.buffer as ArrayBuffer] };
});
