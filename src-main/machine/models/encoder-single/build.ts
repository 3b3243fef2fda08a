import { SingleEncoder } from './single-encoder.ts';
import type { BuildContext, BuiltResource } from '../model.ts';
import type { Board } from '../../../apis/board.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { SingleEncoderAttributes } from '../../../../proto/config/models/encoder.ts';

/** Encoder model `single` (behaviour 7.5): one channel on a digital interrupt of a board. */
export async function build(context: BuildContext<JsonObject>): Promise<BuiltResource> {
  const { board: boardName, pins } = context.attributes as unknown as SingleEncoderAttributes;
  const board = context.dependency<Board>('core:component:board', boardName);
  return new SingleEncoder({ name: context.name, interrupt: board.digitalInterrupt(pins.i), clock: context.clock });
}
