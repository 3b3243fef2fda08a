import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { Diagnostics } from '../machine/diagnostics/diagnostics.ts';
import { machineFolder } from '../machine/diagnostics/recording/file-names.ts';
import { CallCounter } from '../machine/diagnostics/sources/call-counter.ts';
import { ModuleSources } from '../machine/diagnostics/sources/module-sources.ts';
import { EventLoopDelay, processSource } from '../machine/diagnostics/sources/process-source.ts';
import { followResources } from '../machine/diagnostics/sources/resource-sources.ts';
import { diskSource, networkSource, systemSource } from '../machine/diagnostics/sources/system-source.ts';
import { gauge } from '../machine/diagnostics/source.ts';
import type { Machine } from '../machine/machine.ts';
import type { Interceptor } from '../rpc/call.ts';

export interface StationDiagnosticsOptions {
  /** `-ftdc` */
  readonly isOn: boolean;
  readonly home: string;
  readonly configPath: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What is open at the port now. */
  readonly connections: () => { readonly port: number; readonly channels: number; readonly webrtc: number };
}

/** What a station records of itself: the sources of its program, its port and its machine. */
export class StationDiagnostics {
  readonly records: Diagnostics;
  readonly #options: StationDiagnosticsOptions;
  readonly #calls: CallCounter;
  readonly #delay: EventLoopDelay;
  readonly #endings: (() => void)[] = [];

  constructor(options: StationDiagnosticsOptions) {
    const { isOn, home, configPath, clock, logger } = options;
    this.#options = options;
    this.records = new Diagnostics({ isOn, folder: machineFolder(home, configPath), configPath, clock, logger });
    this.#calls = new CallCounter(clock);
    this.#delay = new EventLoopDelay(clock);
  }

  /** Counts calls, as the first interceptor. Undefined where the counts are not recorded. */
  get interceptor(): Interceptor | undefined {
    return this.#options.isOn ? this.#calls.interceptor : undefined;
  }

  /** Begins to record. Does nothing with `-ftdc=false`. */
  start(machine: Machine): void {
    const { isOn, home, clock, connections } = this.#options;
    if (!isOn) return;
    const { records } = this;
    const add = records.add.bind(records);
    const modules = new ModuleSources({ clock, add, modules: () => machine.modules.statuses() });
    add(systemSource());
    add(processSource(this.#delay));
    add(diskSource(home));
    add(networkSource());
    add(modules.source);
    add({
      name: 'connections',
      metrics: [gauge('port'), gauge('channels'), gauge('webrtc'), gauge('streams')],
      read: () => {
        const { port, channels, webrtc } = connections();
        return [port, channels, webrtc, this.#calls.streams];
      },
    });
    this.#endings.push(
      this.#calls.addTo(add),
      followResources(add, (listener) => machine.graph.subscribe(listener)),
    );
    this.#delay.start();
    records.start();
  }

  async close(): Promise<void> {
    this.#delay.stop();
    for (const end of this.#endings.splice(0)) end();
    await this.records.close();
  }
}
