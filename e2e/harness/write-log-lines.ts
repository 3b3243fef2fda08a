import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import type { MachineClient } from './machine-client.ts';

/** How many calls run at once; the machine takes them in the order they were sent. */
const MAX_CONCURRENT_CALLS = 200;

/** A line for the machine's log, as a client of RobotService writes it. */
export interface LogLine {
  readonly message: string;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
}

/** Writes lines to a machine's log, in order, through RobotService/Log. */
export async function writeLogLines(client: MachineClient, lines: readonly LogLine[]): Promise<void> {
  for (let from = 0; from < lines.length; from += MAX_CONCURRENT_CALLS) {
    const calls = lines.slice(from, from + MAX_CONCURRENT_CALLS).map(({ message, level }) =>
      client.grpc.call(RobotServiceDefinition, 'log', {
        logs: [
          {
            host: '',
            level,
            time: new Date(),
            loggerName: 'guest',
            message,
            caller: undefined,
            stack: '',
            fields: [],
          },
        ],
      }),
    );
    await Promise.all(calls);
  }
}

/** Lines `word 0`, `word 1`, ... that are all different. */
export function numbered(word: string, count: number, level: LogLine['level'] = 'info'): LogLine[] {
  return Array.from({ length: count }, (_, index) => ({ message: `${word} ${index}`, level }));
}
