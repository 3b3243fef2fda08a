import type { UpdateRobotPartRequest } from '../../../proto/gen/core/app/v1/app.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Part } from './parts.ts';
import type { Author } from '../access/author.ts';
import type { FleetOptions } from './fleet-options.ts';

/**
 * `UpdateRobotPart`: name and configuration in one step, or neither.
 * @returns the part as it is then
 * @throws {ArmatureError} `config.conflict` where somebody else was first
 */
export async function updatePart(
  options: Pick<FleetOptions, 'store' | 'fleet' | 'configs' | 'clock'>,
  request: UpdateRobotPartRequest,
  author: Author,
): Promise<Part> {
  const { id, name, lastKnownUpdate } = request;
  const text = textOf(request);
  const { fleet, configs, store, clock } = options;
  return store.transaction(async (tx) => {
    const row = await fleet.parts.get(id, tx);
    if (lastKnownUpdate !== undefined && lastKnownUpdate.getTime() !== row.updated_at) {
      throw new ArmatureError(
        'config.conflict',
        `The part "${row.name}" was changed at ${new Date(row.updated_at).toISOString()}, after it was read (${lastKnownUpdate.toISOString()}). Read it again and make the change there.`,
        { details: { updatedAt: row.updated_at } },
      );
    }
    if (name !== '' && name !== row.name) await fleet.parts.rename(row, name, tx);
    if (text !== undefined) await configs.append(row, { text, author, note: '', summary: '' }, tx);
    return fleet.parts.touch(id, clock.now(), tx);
  });
}

/** The configuration that is meant; undefined where the request has none. */
function textOf({ robotConfig, robotConfigJson }: UpdateRobotPartRequest): string | undefined {
  if (robotConfigJson !== undefined) return robotConfigJson;
  return robotConfig === undefined ? undefined : `${JSON.stringify(robotConfig, null, 2)}\n`;
}
