import { FakeEncoder } from './fake-encoder.ts';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import type { FakeEncoderAttributes } from './schema.ts';

export async function build(context: BuildContext<FakeEncoderAttributes>): Promise<BuiltResource> {
  return new FakeEncoder(context.name, context.attributes, context.clock);
}
