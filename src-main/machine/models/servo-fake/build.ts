import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { Servo } from '../../../apis/servo.ts';

/** Servo model `fake`: it is at once where it is sent, and at 0 before. */
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
    // It never moves for longer than its call.
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
