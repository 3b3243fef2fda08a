import { parentPort, workerData } from 'node:worker_threads';
import { toArmatureError } from '../../../base/errors.ts';
import type { CheckReply, CheckRequest } from './check-aside.ts';
import { checkPackage } from './package-check.ts';

const { file, moduleId } = workerData as CheckRequest;
const reply: CheckReply = await checkPackage(file, moduleId).then(
  (facts) => ({ facts }),
  (thrown: unknown) => {
    const { code, message } = toArmatureError(thrown);
    return { failure: { code, message } };
  },
);
parentPort?.postMessage(reply);
