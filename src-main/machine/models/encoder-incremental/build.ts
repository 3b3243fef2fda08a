import { IncrementalEncoder } from './incremental-encoder.ts';
import type { BuildContext, BuiltResource } from '../model.ts';
import type { Board } from '../../../apis/board.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { IncrementalEncoderAttributes } from '../../../../proto/config/models/encoder.ts';

export async function build(context: BuildContext<JsonObject>): Promise<BuiltResource> {
  const attributes = context.attributes as unknown as IncrementalEncoderAttributes;
  const board = context.dependency<Board>('core:component:board', attributes.board);
  const encoder = new IncrementalEncoder({
    name: context.name,
    a: board.digitalInterrupt(attributes.pins.a),
    b: board.digitalInterrupt(attributes.pins.b),
    clock: context.clock,
  });
  await encoder.start();
  return encoder;
}
