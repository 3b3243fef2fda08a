import { FakeEncoder } from './fake-encoder.ts';
import type { BuildContext, BuiltResource } from '../model.ts';
import type { JsonObject } from '../../../apis/resource.ts';

export async function build(context: BuildContext<JsonObject>): Promise<BuiltResource> {
  return new FakeEncoder(context.name, context.attributes, context.clock);
}
