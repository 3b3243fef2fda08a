import { ArmatureError } from '../../../base/errors.ts';

interface Device {
  /** May change when the device is plugged in again. */
  readonly path: string;
  /** Where it is attached, which identifies it. */
  readonly id: string;
}

export interface AttachedDevicesOptions<D extends Device> {
  /** What messages call such a device: `GPIO chip`. */
  readonly kind: string;
  readonly list: () => readonly D[];
  /** Names that identify exactly one device, in addition to its path and id. */
  readonly namesOf: (device: D) => readonly string[];
  /** Whether a text that is not a name of any device refers to this one; it may refer to several. */
  readonly isMeant: (device: D, reference: string) => boolean;
  /** Appended to the device's path in messages. */
  readonly label: (device: D) => string;
}

/**
 * Devices of one kind, found by the names that people use. After a device was first found, it is known by its id: the
 * same device is recognized when plugged in again, whatever its number, and a different one in its place is not used.
 * Messages begin with the problem, because the caller adds which resource needs the device.
 */
export class AttachedDevices<D extends Device> {
  readonly #options: AttachedDevicesOptions<D>;
  /** Ids by the reference that was looked up. */
  readonly #ids = new Map<string, string>();
  /** Devices as last seen, by id. */
  readonly #seen = new Map<string, D>();

  constructor(options: AttachedDevicesOptions<D>) {
    this.#options = options;
  }

  /** The devices that are attached now. */
  present(): readonly D[] {
    const devices = this.#options.list();
    for (const device of devices) this.#seen.set(device.id, device);
    return devices;
  }

  isPresent(id: string): boolean {
    return this.present().some((device) => device.id === id);
  }

  /**
   * The id of a device.
   * @param reference its path, a name of it, its id, or other text that refers to it
   * @throws {ArmatureError} `hardware.missing` if there is no such device, `config.invalid` if there are several
   */
  idOf(reference: string): string {
    const known = this.#ids.get(reference);
    if (known !== undefined) return known;
    const { kind, namesOf, isMeant } = this.#options;
    const devices = this.present();
    const exact = devices.find((one) => [one.path, one.id, ...namesOf(one)].includes(reference));
    const found = exact === undefined ? devices.filter((one) => isMeant(one, reference)) : [exact];
    const [device] = found;
    if (device === undefined) {
      throw new ArmatureError(
        'hardware.missing',
        `there is no ${kind} "${reference}"; ${this.describe()} Plug it in, or correct its name.`,
        { details: { device: reference, found: devices.map(({ path }) => path) } },
      );
    }
    if (found.length > 1) {
      const ids = found.map(({ id }) => id);
      throw new ArmatureError(
        'config.invalid',
        `${found.length} devices match ${kind} "${reference}"; name one by its id: ${ids.join(', ')}.`,
        { details: { found: reference, allowed: ids } },
      );
    }
    this.#ids.set(reference, device.id);
    return device.id;
  }

  /**
   * The current path of a device.
   * @throws {ArmatureError} `hardware.gone` if it is unplugged
   */
  pathOf(id: string): string {
    const device = this.present().find((candidate) => candidate.id === id);
    if (device === undefined) throw this.gone(id);
    return device.path;
  }

  /** The name in messages of a device that was found before. */
  title(id: string): string {
    const { kind, label } = this.#options;
    const device = this.#seen.get(id);
    return device === undefined ? `${kind} ${id}` : `${kind} ${device.path} (${label(device)})`;
  }

  gone(id: string): ArmatureError {
    return new ArmatureError('hardware.gone', `${this.title(id)} was unplugged; plug it in again.`, {
      details: { device: this.#seen.get(id)?.path ?? id, id },
    });
  }

  /** A sentence that lists the attached devices. */
  describe(): string {
    const devices = this.present();
    if (devices.length === 0) return 'this computer has none.';
    return `this computer has ${devices.map((one) => `${one.path} (${this.#options.label(one)})`).join(', ')}.`;
  }
}
