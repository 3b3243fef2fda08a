import { TICKS_PER_S } from '../../modules/process/process-table.ts';

/** Time of all processors together since the computer started, seconds (proc_stat(5)). */
export interface ProcessorTimes {
  readonly busy: number;
  /** Idle while something waited for a disk. */
  readonly ioWait: number;
  /** Used by other virtual machines on the same host. */
  readonly steal: number;
  readonly cores: number;
}

export function parseStat(text: string): ProcessorTimes | undefined {
  const all = /^cpu +(.*)$/m.exec(text)?.[1]?.split(' ').map(Number);
  if (all === undefined) return undefined;
  const [user = 0, nice = 0, system = 0, , ioWait = 0, irq = 0, softIrq = 0, steal = 0] = all;
  return {
    busy: (user + nice + system + irq + softIrq) / TICKS_PER_S,
    ioWait: ioWait / TICKS_PER_S,
    steal: steal / TICKS_PER_S,
    cores: text.match(/^cpu\d+ /gm)?.length ?? 0,
  };
}

/** Bytes in a line of `/proc/meminfo`; undefined if this kernel has no such line. */
export function memoryIn(text: string, line: string): number | undefined {
  const start = text.indexOf(`${line}:`);
  return start < 0 ? undefined : Number.parseInt(text.slice(start + line.length + 1), 10) * 1_024;
}

/** Traffic of all interfaces except loopback (proc_pid_net(5), `/proc/net/dev`). */
export interface Traffic {
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly errors: number;
}

export function parseNetDev(text: string): Traffic {
  let [receivedBytes, sentBytes, errors] = [0, 0, 0];
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon < 0 || line.slice(0, colon).trim() === 'lo') continue;
    const fields = line
      .slice(colon + 1)
      .trim()
      .split(/ +/)
      .map(Number);
    receivedBytes += fields[0] ?? 0;
    errors += (fields[2] ?? 0) + (fields[10] ?? 0);
    sentBytes += fields[8] ?? 0;
  }
  return { receivedBytes, sentBytes, errors };
}
