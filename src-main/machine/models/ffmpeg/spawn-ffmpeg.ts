import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';

export type FfmpegProcess = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Starts ffmpeg. With `setpriv` of util-linux, the kernel kills it when this program ends for any reason; otherwise it
 * ends at the first picture that it cannot write.
 * @param program its name or path
 * @throws {Error} why it cannot be started, with the next step and without a full stop
 */
export async function spawnFfmpeg(args: readonly string[], program = 'ffmpeg'): Promise<FfmpegProcess> {
  const file = await findProgram(program);
  if (file === undefined) {
    const next = 'Install it, on Debian by "sudo apt install ffmpeg"';
    throw new Error(`${program}, which reads videos and cameras, is not on this computer. ${next}`);
  }
  const keeper = process.platform === 'linux' ? await findProgram('setpriv') : undefined;
  const [first, ...more] = keeper === undefined ? [file] : [keeper, '--pdeathsig', 'KILL', '--', file];
  const child = spawn(first, [...more, ...args], { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  try {
    await once(child, 'spawn');
  } catch (thrown) {
    throw new Error(`${program} cannot be started: ${String(thrown)}`, { cause: thrown });
  }
  return child;
}

/** The file that a shell would run for this name. */
async function findProgram(name: string): Promise<string | undefined> {
  const folders = name.includes('/') ? [''] : (process.env['PATH'] ?? '').split(path.delimiter);
  for (const folder of folders) {
    const file = path.join(folder, name);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}
