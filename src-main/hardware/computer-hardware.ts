import type { Hardware } from '../../native/index.js';
import { hardwareError } from './hardware-error.ts';

/** Where the wires are: on this computer, or on one in memory that anybody can try things on (`-simulate-hardware`). */
export type HardwareBackend = 'linux' | 'sim';

/**
 * The hardware of the computer that this process runs on. The addon is loaded, and its threads and the guardian begin,
 * only when somebody asks for it: a machine without hardware pays nothing.
 */
export class ComputerHardware {
  readonly backend: HardwareBackend;
  readonly #root: string | undefined;
  #opening: Promise<Hardware> | undefined;

  /** @param root for tests of `linux`: the folder that has `dev` and `sys`; nothing there outlives this process */
  constructor(backend: HardwareBackend, root?: string) {
    this.backend = backend;
    this.#root = root;
  }

  /**
   * The open addon, the same for everybody.
   * @throws {ArmatureError} `hardware.unavailable` where the addon was not built, or this is no computer that it is for
   */
  open(): Promise<Hardware> {
    this.#opening ??= this.#open().catch((thrown: unknown) => {
      this.#opening = undefined; // not remembered: the addon may be built by the next time
      throw hardwareError(thrown);
    });
    return this.#opening;
  }

  /** Why there is no hardware here, in a sentence with the next step; undefined where there is. */
  async missingReason(): Promise<string | undefined> {
    return (await import('../../native/index.js')).missingReason();
  }

  /** Every output safe, every handle closed. It may be opened again. */
  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    (await opening?.catch(() => undefined))?.close();
  }

  async #open(): Promise<Hardware> {
    const { openHardware, guardianPath } = await import('../../native/index.js');
    const { backend } = this;
    if (this.#root !== undefined) return openHardware({ backend, root: this.#root });
    return openHardware(backend === 'linux' ? { backend, guardian: guardianPath() } : { backend });
  }
}
