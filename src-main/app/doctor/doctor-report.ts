import { accessSync, constants, existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ComputerHardware } from '../../hardware/computer-hardware.ts';
import type { HardwareArea, HardwareDescription, HardwareProblem } from '../../hardware/discovery/description.ts';
import { discoverHardware } from '../../hardware/discovery/discover.ts';
import { homeFolder } from '../home.ts';
import { version } from '../version.ts';

export type DoctorProblem = Omit<HardwareProblem, 'area'> & { readonly area: HardwareArea | 'home' };

/** What `armature doctor` finds. `--json` prints it as it is. */
export interface DoctorReport extends Omit<HardwareDescription, 'problems'> {
  /** Of the program. */
  readonly version: string;
  /** `v24.1.0`. */
  readonly node: string;
  /** `Linux 6.1.0-18-arm64 arm64`. */
  readonly system: string;
  /** Folder of everything the program stores. */
  readonly home: string;
  /** Errors first. */
  readonly problems: readonly DoctorProblem[];
}

export async function doctorReport(
  hardware: ComputerHardware,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<DoctorReport> {
  const { problems, ...found } = await discoverHardware(hardware);
  const home = homeFolder(environment);
  const all = [...homeProblems(home), ...problems];
  return {
    version,
    node: process.version,
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    home,
    ...found,
    problems: [...all.filter(isError), ...all.filter((problem) => !isError(problem))],
  };
}

/** Whether an existing device cannot be used. */
export const isError = ({ severity }: DoctorProblem): boolean => severity === 'error';

function homeProblems(home: string): DoctorProblem[] {
  let nearest = home;
  while (!existsSync(nearest)) nearest = path.dirname(nearest);
  try {
    accessSync(nearest, constants.W_OK);
    return [];
  } catch {
    const message = `${home}: ${nearest} cannot be written: set SVC_HOME to a folder of yours, or give it to you with chown.`;
    return [{ area: 'home', device: home, severity: 'error', message, command: '' }];
  }
}
