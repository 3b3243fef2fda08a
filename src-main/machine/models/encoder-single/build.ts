import { SingleEncoder } from './single-encoder.ts';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import type { Board } from '../../../apis/board/types.ts';
import type { SingleEncoderAttributes } from './schema.ts';

/** Encoder model `single`: one channel on a digital interrupt of a board. */
export async function build(context: BuildContext<SingleEncoderAttributes>): Promise<BuiltResource> {
  const { board: boardName, pins } = context.attributes;
  const board = context.dependency<Board>('core:component:board', boardName);
  return new SingleEncoder({ name: context.name, interrupt: board.digitalInterrupt(pins.i), clock: context.clock });
}
