import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { environmentVariable } from '../base/dialect.ts';
import { ArmatureError, toArmatureError } from '../base/errors.ts';
import starterConfig from '../../proto/config/starter.json' with { type: 'json' };

type Environment = Readonly<Record<string, string | undefined>>;

/** Folder of everything the program keeps: `SVC_HOME`, else `~/.armature`. */
export function homeFolder(environment: Environment): string {
  const given = environmentVariable('HOME', environment);
  return given === undefined || given === '' ? path.join(os.homedir(), '.armature') : path.resolve(given);
}

/**
 * The configuration a start without `-config` uses: `machine.json` at home. On
 * the first start it is made, with a simulated bench that can be driven at once.
 * @throws {ArmatureError} `file.unwritable` naming the file
 */
export async function ensureStarterConfig(environment: Environment): Promise<string> {
  const home = homeFolder(environment);
  const file = path.join(home, 'machine.json');
  if (existsSync(file)) return file;
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await writeFile(file, `${JSON.stringify(starterConfig, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    // Another start made it just now.
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST' && existsSync(file)) return file;
    throw new ArmatureError(
      'file.unwritable',
      `The first configuration cannot be written to ${file} (${toArmatureError(cause).message}). Set SVC_HOME to a folder that can be written, or name a configuration with -config.`,
      { details: { path: file }, cause },
    );
  }
  return file;
}
