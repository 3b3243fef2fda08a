import { IncrementalEncoder } from './incremental-encoder.ts';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import type { Board } from '../../../apis/board/types.ts';
import type { IncrementalEncoderAttributes } from './schema.ts';

export async function build(context: BuildContext<IncrementalEncoderAttributes>): Promise<BuiltResource> {
  const { attributes } = context;
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
