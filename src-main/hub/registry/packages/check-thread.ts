import { parentPort, workerData } from 'node:worker_threads';
import { toArmatureError } from '../../../base/errors.ts';
import type { CheckReply, CheckRequest } from './check-aside.ts';
import { checkFiles } from './files-check.ts';
import { checkPackage } from './package-check.ts';

const request = workerData as CheckRequest;
const checked = request.kind === 'module' ? checkPackage(request.file, request.moduleId) : checkFiles(request.file);
const reply: CheckReply = await checked.then(
  (facts) => ({ facts }),
  (thrown: unknown) => {
    const { code, message } = toArmatureError(thrown);
    return { failure: { code, message } };
  },
);
parentPort?.postMessage(reply);
