import { DEFAULT_POSITIONS, type FakeSwitchAttributes } from './schema.ts';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import { inside } from '../../../apis/fields.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { Switch, SwitchPositions } from '../../../apis/switch.ts';

/** Switch model `fake`: reaches each requested position at once. */
class FakeSwitch implements Switch, BuiltResource {
  readonly name: string;
  readonly #positions: SwitchPositions;
  #position = 0;

  constructor(name: string, { position_count: count = DEFAULT_POSITIONS, labels = [] }: FakeSwitchAttributes) {
    this.name = name;
    this.#positions = { count, labels: labels.length === count ? labels : [] };
  }

  async setPosition(position: number): Promise<void> {
    this.#position = inside(this, 'position', position, 0, this.#positions.count - 1);
  }

  position(): Promise<number> {
    return Promise.resolve(this.#position);
  }

  positions(): Promise<SwitchPositions> {
    return Promise.resolve(this.#positions);
  }

  status(): Promise<JsonObject> {
    const { count, labels } = this.#positions;
    return Promise.resolve({ position: this.#position, label: labels[this.#position] ?? null, positions: count });
  }

  async close(): Promise<void> {
    // It holds nothing.
  }
}

export async function build({ name, attributes }: BuildContext<JsonObject>): Promise<BuiltResource> {
  return new FakeSwitch(name, attributes);
}
