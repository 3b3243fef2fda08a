/**
 * `npm run virtual -- COMMAND ARGUMENTS...`: runs a command of this computer inside the virtual bench and exits with
 * its exit code.
 */
import { aborting, note, report } from './terminal.ts';
import { runInBench } from './virtual-computer.ts';

const command = process.argv.slice(2);
if (command.length === 0) {
  process.stderr.write('usage: npm run virtual -- COMMAND ARGUMENTS...\n');
  process.exit(2);
}
await report(async () => {
  const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
  const onOutput = (chunk: Buffer): void => void process.stdout.write(chunk);
  return runInBench({ command, folder: process.cwd(), environment, onOutput, note, abort: aborting() });
});
