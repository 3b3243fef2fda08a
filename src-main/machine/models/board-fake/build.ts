import { FakeBoard } from './fake-board.ts';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { FakeBoardAttributes } from './schema.ts';

export async function build(context: BuildContext<FakeBoardAttributes>): Promise<BuiltResource> {
  const { attributes } = context;
  if (attributes.fail_new) {
    throw new ArmatureError(
      'hardware.unavailable',
      `Board "${context.name}" fails at start because "fail_new" is true; set it to false to use the board.`,
    );
  }
  return new FakeBoard(context.name, attributes, context.clock);
}
