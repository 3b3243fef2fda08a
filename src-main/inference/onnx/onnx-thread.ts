import { parentPort, workerData } from 'node:worker_threads';
import type { OnnxResponse, OnnxRequest, OnnxThreadOptions } from './onnx-protocol.ts';
import { OnnxSession } from './onnx-session.ts';
import { answerCalls, type ThreadAnswer } from '../../base/threads/thread-calls.ts';

/*
 * The thread of one model: ONNX Runtime computes in the thread that calls it, for as long as a run takes.
 */

const session = OnnxSession.load(workerData as OnnxThreadOptions);
// Each request reports it.
session.catch(() => undefined);

answerCalls<OnnxRequest, OnnxResponse>(parentPort, async (question): Promise<ThreadAnswer<OnnxResponse>> => {
  const loaded = await session;
  if (question === undefined) return { answer: { kind: 'info', info: loaded.info } };
  const outputs = await loaded.run(question);
  return {
    answer: { kind: 'outputs', outputs },
    transferred: outputs.map(([, { data }]) => data.buffer as ArrayBuffer),
  };
});
