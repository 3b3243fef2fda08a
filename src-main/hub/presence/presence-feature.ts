import { AppServiceDefinition } from '../../../proto/gen/core/app/v1/app.ts';
import { RobotServiceDefinition } from '../../../proto/gen/core/app/v1/robot.ts';
import { PartServiceDefinition } from '../../../proto/gen/core/hub/v1/part.ts';
import { PresenceServiceDefinition } from '../../../proto/gen/core/hub/v1/presence.ts';
import { serve, type Feature } from '../access/feature.ts';
import type { HubHandlers } from '../access/guarded.ts';
import { partConnect, type PartConnectOptions } from './part-connect.ts';
import { presenceService, type PresenceServiceOptions } from './presence-service.ts';

/** How often a machine should ask whether it has to restart. */
const RESTART_CHECK = { seconds: 5n, nanos: 0 };

export type PresenceOptions = PresenceServiceOptions & PartConnectOptions;

/** Presence, the streams that parts keep open, and restart requests. */
export function presenceFeature(options: PresenceOptions): Feature {
  const { live } = options;
  return {
    services: [
      serve(PresenceServiceDefinition, presenceService(options)),
      serve(PartServiceDefinition, partConnect(options)),
      serve(AppServiceDefinition, restartCalls(options)),
      serve(RobotServiceDefinition, needsRestart(options)),
    ],
    close: () => live.close(),
  };
}

function restartCalls({ store, live }: PresenceOptions): HubHandlers<typeof AppServiceDefinition> {
  return {
    async markPartForRestart({ partId }, caller) {
      await caller.require('machine.operate', { type: 'part', id: partId }, store.db);
      await live.restart(partId);
      return {};
    },
  };
}

function needsRestart({ store, live }: PresenceOptions): HubHandlers<typeof RobotServiceDefinition> {
  return {
    async needsRestart({ id }, caller) {
      await caller.require('part.serve', { type: 'part', id }, store.db);
      return { id, mustRestart: await live.takeRestart(id), restartCheckInterval: RESTART_CHECK };
    },
  };
}
