import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { Servo } from '../../../apis/servo.ts';

/** Servo model `fake`: reaches each requested angle at once; starts at 0. */
class FakeServo implements Servo, BuiltResource {
  readonly name: string;
  #angleDeg = 0;

  constructor(name: string) {
    this.name = name;
  }

  async move(angleDeg: number): Promise<void> {
    this.#angleDeg = angleDeg;
  }

  position(): Promise<number> {
    return Promise.resolve(this.#angleDeg);
  }

  async stop(): Promise<void> {
    // It never moves after its call has ended.
  }

  isMoving(): Promise<boolean> {
    return Promise.resolve(false);
  }

  status(): Promise<JsonObject> {
    return Promise.resolve({ position_deg: this.#angleDeg, is_moving: false });
  }

  async close(): Promise<void> {
    // It holds nothing.
  }
}

export async function build(context: BuildContext<JsonObject>): Promise<BuiltResource> {
  return new FakeServo(context.name);
}
