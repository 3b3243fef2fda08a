import type { Fleet } from './fleet.ts';

/** What a machine without a hub has of a fleet, for tests that are about something else. */
export const noFleet = {
  connection: {
    subscribe: () => () => undefined,
    retryNow: () => undefined,
  },
  partId: '',
  isHubAlone: false,
} as Partial<Fleet> as Fleet;
