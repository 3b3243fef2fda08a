import { defineStore } from 'pinia';
import type { WatchReading } from '../../../shared/machine/poll.ts';
import { pinKey, type Pin } from '../../../shared/pins/pin-list.ts';
import { PlotFeed } from '../../../shared/plot/plot-feed.ts';

/** The name of the only channel of a feed. */
export const pinChannel = 'value';

/** The samples of pinned values. They outlive the screen, so that the plots go on where they were, with a gap. */
export const usePinFeeds = defineStore('pin-feeds', () => {
  const feeds = new Map<string, PlotFeed>();

  function of(pin: Pin): PlotFeed {
    const key = pinKey(pin);
    const feed = feeds.get(key) ?? new PlotFeed();
    feeds.set(key, feed);
    return feed;
  }

  return {
    of,
    /** Adds a value; undefined is a gap. */
    take(pin: Pin, reading: WatchReading, value: number | undefined): void {
      const feed = of(pin);
      if (value !== undefined) feed.take(reading);
      feed.add(pinChannel, reading, value);
    },
  };
});
