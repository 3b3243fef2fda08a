import { Worker } from 'node:worker_threads';
import { ArmatureError, type ErrorCode } from '../../../base/errors.ts';
import { badPackage } from './archive-tree.ts';
import type { FilesFacts } from './files-check.ts';
import type { PackageFacts } from './package-check.ts';

/** A package to check: of a module, published as `moduleId`, or of any files. */
export type CheckRequest =
  | { readonly kind: 'module'; readonly file: string; readonly moduleId: string }
  | { readonly kind: 'files'; readonly file: string };

type Facts = PackageFacts | FilesFacts;

export type CheckReply =
  { readonly facts: Facts } | { readonly failure: { readonly code: ErrorCode; readonly message: string } };

/** Far more than the check of the largest package needs. */
const MAX_MEMORY_MB = 256;

/**
 * Runs `checkPackage` in a thread of its own. A large package takes seconds, in which the hub could not answer anybody.
 * @throws {ArmatureError} `registry.bad_package` naming what is wrong
 */
export async function checkPackageInThread(file: string, moduleId: string): Promise<PackageFacts> {
  return (await checkInThread({ kind: 'module', file, moduleId })) as PackageFacts;
}

/**
 * Runs `checkFiles` in a thread of its own.
 * @throws {ArmatureError} `registry.bad_package` naming what is wrong
 */
export async function checkFilesInThread(file: string): Promise<FilesFacts> {
  return (await checkInThread({ kind: 'files', file })) as FilesFacts;
}

async function checkInThread(request: CheckRequest): Promise<Facts> {
  const worker = new Worker(new URL('./check-thread.ts', import.meta.url), {
    workerData: request,
    name: 'package-check',
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  const reply = await new Promise<CheckReply>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', (error: NodeJS.ErrnoException) => {
      const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      reject(
        isTooLarge ? badPackage(`its check needs more than ${MAX_MEMORY_MB} MB of memory, which is the most`) : error,
      );
    });
    worker.once('exit', () =>
      reject(new ArmatureError('internal.bug', 'The check of a package ended without a result.')),
    );
  });
  if ('facts' in reply) return reply.facts;
  throw new ArmatureError(reply.failure.code, reply.failure.message);
}
