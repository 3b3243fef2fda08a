import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { onAllProcessors } from './on-all-processors.ts';
import { pwmFigures, type PwmFigures } from './pwm-figures.ts';

export interface PwmRun extends PwmFigures {
  /** Of one processor, for all threads of the program, in percent. */
  readonly cpuPercent: number;
  readonly isRealTime: boolean;
}

export interface PwmTask {
  readonly hz: number;
  readonly channels: number;
  readonly runMs: number;
}

/** Runs a program that makes a software PWM and outputs its edges (`edge-record.h`). */
export async function pwmRun(command: readonly string[], { hz, channels, runMs }: PwmTask): Promise<PwmRun> {
  const [file, args] = onAllProcessors([...command, String(hz), String(channels), String(runMs)]);
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: runMs * 10 + 10_000 });
  const printed: Buffer[] = [];
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => void printed.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => void (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${said}`);
  const { cpuShare, isRealTime } = JSON.parse(said) as { cpuShare: number; isRealTime: boolean };
  const dutyCycleOf = (channel: number): number => (channels === 1 ? 0.5 : 0.1 * (channel + 1));
  return { ...pwmFigures(Buffer.concat(printed), hz, dutyCycleOf), cpuPercent: cpuShare * 100, isRealTime };
}

/** Programs that only use processor time, one for each of two processors. @returns a function that ends them */
export function busyLoops(): () => void {
  const [file, args] = onAllProcessors(['sh', '-c', 'while :; do :; done']);
  // Far longer than a measurement: should this process be killed, they are ended anyway.
  const loops: ChildProcess[] = [1, 2].map(() => spawn(file, args, { stdio: 'ignore', timeout: 300_000 }));
  const end = (): void => loops.forEach((loop) => void loop.kill('SIGKILL'));
  process.once('exit', end);
  return () => {
    process.off('exit', end);
    end();
  };
}
