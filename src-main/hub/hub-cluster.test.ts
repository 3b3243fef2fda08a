import { describe, expect, it, vi } from 'vitest';
import { Emitter } from '../base/async/emitter.ts';
import { silentLogger } from '../base/logger.ts';
import { standaloneCluster, type Cluster } from './cluster/cluster.ts';
import type { Notice } from './cluster/notices.ts';
import { followFleet, startLeading } from './hub-cluster.ts';

/** One of two hubs, and the notices that it sends. */
function sharedCluster() {
  const heard = new Emitter<Notice>();
  const lost = new Emitter();
  const died = new Emitter<string>();
  const told: Notice[] = [];
  const leading = { is: false, start: (): void => undefined };
  const cluster: Cluster = {
    ...standaloneCluster('a'),
    isShared: true,
    notices: {
      tell: (notice) => void told.push(notice),
      on: (listener) => heard.on(listener),
      onLost: (listener) => lost.on(listener),
    },
    members: {
      all: new Map(),
      leaderId: undefined,
      get isLeading() {
        return leading.is;
      },
      onDeath: (listener) => died.on(listener),
      whenLeading: (start) => (leading.start = start),
    },
  };
  const lead = (): void => {
    leading.is = true;
    leading.start();
  };
  return { cluster, heard, lost, died, told, lead };
}

describe('changes of the fleet', () => {
  it('go to the other hubs, and changes of those are not sent back', () => {
    const { cluster, heard, lost, told } = sharedCluster();
    const changes = new Emitter();
    let seen = 0;
    changes.on(() => seen++);
    const feature = followFleet(changes, cluster);
    changes.emit();
    expect(told).toEqual([{ kind: 'fleet' }]);
    heard.emit({ kind: 'fleet' });
    lost.emit();
    heard.emit({ kind: 'events' });
    expect({ seen, told: told.length }).toEqual({ seen: 3, told: 1 });
    void feature.close?.();
    heard.emit({ kind: 'fleet' });
    expect(seen).toBe(3);
  });
});

describe('the work of the leader', () => {
  it('starts at once at a standalone hub, whose start fails if it fails', async () => {
    const start = vi.fn(() => Promise.resolve());
    const options = { cluster: standaloneCluster('a'), takeOver: start, logger: silentLogger, onLost: () => undefined };
    await startLeading({ ...options, start });
    expect(start).toHaveBeenCalledTimes(1);
    await expect(startLeading({ ...options, start: () => Promise.reject(new Error('no')) })).rejects.toThrow('no');
  });

  it('starts at the hub that leads, which then takes over from each dead hub', async () => {
    const { cluster, died, lead } = sharedCluster();
    const start = vi.fn(() => Promise.resolve());
    const takeOver = vi.fn(() => Promise.resolve());
    const onLost = vi.fn();
    await startLeading({ cluster, start, takeOver, logger: silentLogger, onLost });
    died.emit('b');
    expect([start, takeOver].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
    lead();
    died.emit('b');
    expect([start, takeOver].map(({ mock }) => mock.calls.length)).toEqual([1, 2]);
    expect(onLost).not.toHaveBeenCalled();
  });

  it('ends the leading hub if it fails to start, so that another can lead', async () => {
    const { cluster, lead } = sharedCluster();
    const onLost = vi.fn();
    const nothing = (): Promise<void> => Promise.resolve();
    const start = (): Promise<void> => Promise.reject(new Error('no table'));
    await startLeading({ cluster, start, takeOver: nothing, logger: silentLogger, onLost });
    lead();
    await vi.waitFor(() => expect(onLost).toHaveBeenCalledWith(expect.stringContaining('no table')));
  });
});
