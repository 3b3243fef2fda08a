import type { Channel } from '../../../link/channel.ts';
import { hubCalls } from '../calls/hub.ts';
import { watchFleet, watchPart } from '../calls/presence.ts';
import type { Fleet } from '../fleet.ts';
import { loadWhenCalled } from './load-when-called.ts';

/** The fleet over the link to its hub. Calls that only some screens need are loaded at their first use. */
export function rpcFleet(channel: Channel, facts: Pick<Fleet, 'connection' | 'partId' | 'isHubAlone'>): Fleet {
  const places = loadWhenCalled(async () => (await import('../calls/places.ts')).placeCalls(channel), {});
  return {
    ...facts,
    ...hubCalls(channel),
    places: places.places,
    addMachine: places.addMachine,
    updateMachine: places.updateMachine,
    deleteMachine: places.deleteMachine,
    addLocation: places.addLocation,
    renameLocation: places.renameLocation,
    deleteLocation: places.deleteLocation,
    keys: loadWhenCalled(async () => (await import('../calls/keys.ts')).keyCalls(channel), {}),
    registry: loadWhenCalled(async () => (await import('../calls/registry.ts')).registryCalls(channel), {
      watchResolutions: true,
      watchChanges: true,
    }),
    models: loadWhenCalled(async () => (await import('../calls/models.ts')).modelCalls(channel), {
      watchChanges: true,
    }),
    scripts: loadWhenCalled(async () => (await import('../calls/scripts.ts')).scriptCalls(channel), {}),
    data: loadWhenCalled(async () => (await import('../calls/data.ts')).dataCalls(channel), {
      exportReadings: true,
      download: true,
    }),
    datasets: loadWhenCalled(async () => (await import('../calls/datasets.ts')).datasetCalls(channel), {
      export: true,
    }),
    inference: loadWhenCalled(async () => (await import('../calls/inference.ts')).inferenceCalls(channel), {
      testClassifier: true,
    }),
    training: loadWhenCalled(async () => (await import('../calls/training.ts')).trainingCalls(channel), {}),
    triggers: loadWhenCalled(async () => (await import('../calls/triggers.ts')).triggerCalls(channel), {}),
    watch: (signal) => watchFleet(channel, signal),
    watchPart: (partId, signal) => watchPart(channel, partId, signal),
  };
}
