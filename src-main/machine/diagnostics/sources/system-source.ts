import { statfs } from 'node:fs/promises';
import os from 'node:os';
import { counter, gauge, type DiagnosticSource, type Reading } from '../source.ts';
import { ProcFile } from './proc-file.ts';
import { memoryIn, parseNetDev, parseStat } from './proc-text.ts';

/** The computer: processors, memory, load. On systems other than Linux, what Node knows about them. */
export function systemSource(): DiagnosticSource {
  const [stat, memory, load] = ['stat', 'meminfo', 'loadavg'].map((name) => new ProcFile(`/proc/${name}`));
  return {
    name: 'system',
    metrics: [
      counter('cpu.busy', 's', 100),
      counter('cpu.io_wait', 's', 100),
      counter('cpu.steal', 's', 100),
      gauge('cpu.cores'),
      gauge('load.1_min', '', 100),
      gauge('memory.total', 'B'),
      gauge('memory.available', 'B'),
      gauge('swap.used', 'B'),
    ],
    read() {
      const times = parseStat(stat?.read() ?? '');
      const meminfo = memory?.read() ?? '';
      const swap = memoryIn(meminfo, 'SwapTotal');
      return [
        times?.busy ?? busyByNode(),
        times?.ioWait,
        times?.steal,
        times?.cores ?? os.availableParallelism(),
        Number.parseFloat(load?.read() ?? '') || os.loadavg()[0],
        memoryIn(meminfo, 'MemTotal') ?? os.totalmem(),
        memoryIn(meminfo, 'MemAvailable') ?? os.freemem(),
        swap === undefined ? undefined : swap - (memoryIn(meminfo, 'SwapFree') ?? swap),
      ];
    },
  };
}

function busyByNode(): number {
  return os.cpus().reduce((sum, { times }) => sum + (times.user + times.nice + times.sys + times.irq) / 1_000, 0);
}

/** Network traffic; on Linux only. */
export function networkSource(): DiagnosticSource {
  const devices = new ProcFile('/proc/net/dev');
  return {
    name: 'network',
    metrics: [counter('received', 'B'), counter('sent', 'B'), counter('errors')],
    read() {
      const text = devices.read();
      if (text === undefined) return undefined;
      const { receivedBytes, sentBytes, errors } = parseNetDev(text);
      return [receivedBytes, sentBytes, errors];
    },
  };
}

/** Seconds between checks of the disk: each wakes a thread, and the value changes slowly. */
const DISK_EVERY = 10;

/** The disk of a folder. A network disk may not answer: then only this source misses its rows. */
export function diskSource(folder: string): DiagnosticSource {
  let known: Reading | undefined;
  let age = 0;
  return {
    name: 'disk',
    metrics: [gauge('size', 'B'), gauge('free', 'B'), gauge('files.free')],
    read() {
      if (known !== undefined && ++age < DISK_EVERY) return known;
      return statfs(folder).then(({ blocks, bavail, bsize, ffree }) => {
        age = 0;
        return (known = [blocks * bsize, bavail * bsize, ffree]);
      });
    },
  };
}
