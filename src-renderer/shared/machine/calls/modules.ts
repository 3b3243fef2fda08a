import { canonicalApi, canonicalModel } from '../../../../proto/config/names.ts';
import { RobotServiceDefinition } from '../../../../proto/gen/core/robot/v1/robot.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { ModuleCalls } from '../modules/module-view.ts';
import { quick } from './call-options.ts';

/** A module that hangs gets 20 s to close its resources and 10 s to stop before it is killed. */
const restartTimeoutMs = 45_000;

export function moduleCalls(channel: Channel): ModuleCalls {
  const robot = createClient(RobotServiceDefinition, channel);
  return {
    async models() {
      const { models } = await robot.getModelsFromModules({}, quick);
      return models.map(({ moduleName, api, model }) => ({
        moduleName,
        api: canonicalApi(api) ?? api,
        model: canonicalModel(model) ?? model,
      }));
    },
    async restart(name) {
      await robot.restartModule({ moduleId: '', moduleName: name }, { timeoutMs: restartTimeoutMs });
    },
  };
}
