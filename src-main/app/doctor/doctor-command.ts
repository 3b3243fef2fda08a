import { ComputerHardware } from '../../hardware/computer-hardware.ts';
import { doctorReport, isError } from './doctor-report.ts';
import { doctorText } from './doctor-text.ts';

export const doctorUsage = `usage: armature doctor [--json] [--simulate-hardware]

Lists what this computer has for wires, what is missing or not permitted, and the next step.
Exit code 0: what there is can be used. 1: something that is there cannot.
`;

/** What the command works with. */
export interface DoctorIo {
  stdout(text: string): void;
  stderr(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * `armature doctor [--json] [--simulate-hardware]`: prints what the add-a-board form shows of a computer, with facts
 * about the program. Disturbs nothing, not even a running server. With `--json`, standard output is one
 * {@link DoctorReport}. Exit code 1 where something that is there cannot be used, 2 for wrong usage, else 0: a computer
 * that has no GPIO at all is in order.
 */
export async function doctorCommand(argv: readonly string[], io: DoctorIo): Promise<number> {
  // Go's flag package takes one dash or two.
  const options = argv.map((option) => option.replace(/^--/, '-'));
  if (options.some((option) => option === '-help' || option === '-h')) {
    io.stdout(doctorUsage);
    return 0;
  }
  if (options.some((option) => option !== '-json' && option !== '-simulate-hardware')) {
    io.stderr(doctorUsage);
    return 2;
  }
  const hardware = new ComputerHardware(options.includes('-simulate-hardware') ? 'sim' : 'linux');
  const report = await doctorReport(hardware, io.env);
  await hardware.close();
  io.stdout(options.includes('-json') ? `${JSON.stringify(report, undefined, 2)}\n` : doctorText(report));
  return report.problems.some(isError) ? 1 : 0;
}
