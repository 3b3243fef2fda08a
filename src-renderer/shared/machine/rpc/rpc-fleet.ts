import type { Channel } from '../../../link/channel.ts';
import { dataCalls } from '../calls/data.ts';
import { datasetCalls } from '../calls/datasets.ts';
import { inferenceCalls } from '../calls/inference.ts';
import { placeCalls } from '../calls/fleet.ts';
import { keyCalls } from '../calls/keys.ts';
import { watchFleet, watchPart } from '../calls/presence.ts';
import { modelCalls } from '../calls/models.ts';
import { registryCalls } from '../calls/registry.ts';
import { scriptCalls } from '../calls/scripts.ts';
import { trainingCalls } from '../calls/training.ts';
import { triggerCalls } from '../calls/triggers.ts';
import type { Fleet } from '../fleet.ts';

/** The fleet over the link to its hub. */
export function rpcFleet(channel: Channel, facts: Pick<Fleet, 'connection' | 'partId' | 'isHubAlone'>): Fleet {
  return {
    ...facts,
    ...placeCalls(channel),
    keys: keyCalls(channel),
    registry: registryCalls(channel),
    models: modelCalls(channel),
    scripts: scriptCalls(channel),
    data: dataCalls(channel),
    datasets: datasetCalls(channel),
    inference: inferenceCalls(channel),
    training: trainingCalls(channel),
    triggers: triggerCalls(channel),
    watch: (signal) => watchFleet(channel, signal),
    watchPart: (partId, signal) => watchPart(channel, partId, signal),
  };
}
