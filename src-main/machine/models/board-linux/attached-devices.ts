import { ArmatureError } from '../../../base/errors.ts';

interface Device {
  /** May be another after the device was plugged in again. */
  readonly path: string;
  /** Where it is attached, which identifies it. */
  readonly id: string;
}

export interface AttachedDevicesOptions<D extends Device> {
  /** How texts call one: `GPIO chip`. */
  readonly kind: string;
  readonly list: () => readonly D[];
  /** Names that mean exactly one, path and id apart. */
  readonly namesOf: (device: D) => readonly string[];
  /** Whether a text that is no name of any device means this one; it may mean several. */
  readonly isMeant: (device: D, reference: string) => boolean;
  /** Follows the path of a device in messages. */
  readonly label: (device: D) => string;
}

/**
 * Devices of a kind by what people call them. A device is known by its id once it was found: the one that is plugged in
 * again is the same, whatever its number, and another one in its place is not. Messages begin with the problem, because
 * the caller adds whose device it is.
 */
export class AttachedDevices<D extends Device> {
  readonly #options: AttachedDevicesOptions<D>;
  /** By what they were asked for. */
  readonly #ids = new Map<string, string>();
  /** As they were last seen, by id. */
  readonly #seen = new Map<string, D>();

  constructor(options: AttachedDevicesOptions<D>) {
    this.#options = options;
  }

  /** Those that are there now. */
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
   * @param reference its path, a name of it, its id, or what else means it
   * @throws {ArmatureError} `hardware.missing` where there is none, `config.invalid` where several are meant
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
   * Where a device is now.
   * @throws {ArmatureError} `hardware.gone` where it is unplugged
   */
  pathOf(id: string): string {
    const device = this.present().find((candidate) => candidate.id === id);
    if (device === undefined) throw this.gone(id);
    return device.path;
  }

  /** How texts name a device that was found once. */
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

  /** What there is, as a sentence. */
  describe(): string {
    const devices = this.present();
    if (devices.length === 0) return 'this computer has none.';
    return `this computer has ${devices.map((one) => `${one.path} (${this.#options.label(one)})`).join(', ')}.`;
  }
}
