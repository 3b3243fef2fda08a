import { DEFAULT_AMPS, DEFAULT_VOLTS, type FakePowerSensorAttributes } from './schema.ts';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import type { Current, PowerSensor, Voltage } from '../../../apis/power-sensor.ts';
import type { JsonObject } from '../../../apis/resource.ts';

/** Power sensor model `fake`: returns its attributes. */
class FakePowerSensor implements PowerSensor, BuiltResource {
  readonly name: string;
  #attributes: FakePowerSensorAttributes;

  constructor(name: string, attributes: FakePowerSensorAttributes) {
    this.name = name;
    this.#attributes = attributes;
  }

  voltage(): Promise<Voltage> {
    const { volts, is_ac: isAc } = this.#measured;
    return Promise.resolve({ volts, isAc });
  }

  current(): Promise<Current> {
    const { amps, is_ac: isAc } = this.#measured;
    return Promise.resolve({ amperes: amps, isAc });
  }

  power(): Promise<number> {
    return Promise.resolve(this.#measured.watts);
  }

  readings(): Promise<JsonObject> {
    return Promise.resolve({ ...this.#measured });
  }

  status(): Promise<JsonObject> {
    return this.readings();
  }

  reconfigure(attributes: JsonObject): Promise<void> {
    this.#attributes = attributes;
    return Promise.resolve();
  }

  async close(): Promise<void> {
    // It holds nothing.
  }

  get #measured() {
    const { volts = DEFAULT_VOLTS, amps = DEFAULT_AMPS, is_ac = false } = this.#attributes;
    return { volts, amps, watts: volts * amps, is_ac };
  }
}

export async function build({ name, attributes }: BuildContext<JsonObject>): Promise<BuiltResource> {
  return new FakePowerSensor(name, attributes);
}
