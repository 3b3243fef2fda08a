import { close, open, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { ArmatureError } from '../../base/errors.ts';

export interface CpuProfile {
  /** Stops recording and writes the file; further calls do nothing. */
  stop(): Promise<void>;
}

/**
 * Records a CPU profile of this process for Chromium's and VS Code's viewers (`.cpuprofile`). If the file cannot be
 * written, it throws `file.unwritable` at once, not after hours of recording.
 */
export async function startCpuProfile(path: string): Promise<CpuProfile> {
  try {
    await promisify(close)(await promisify(open)(path, 'w', 0o600));
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ArmatureError(
      'file.unwritable',
      `The CPU profile ${path} cannot be written: ${reason}. Name another file with -cpuprofile.`,
      { details: { path }, cause: thrown },
    );
  }
  // Loaded only here, because a run without the option should not pay for it at its start.
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  let isStopped = false;
  return {
    async stop() {
      if (isStopped) return;
      isStopped = true;
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      writeFileSync(path, JSON.stringify(profile));
    },
  };
}
