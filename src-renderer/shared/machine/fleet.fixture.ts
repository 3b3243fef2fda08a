import type { Fleet } from './fleet.ts';

/** The fleet of a machine without a hub, for tests that are about something else. */
export const noFleet = {
  connection: {
    subscribe: () => () => undefined,
    retryNow: () => undefined,
  },
  partId: '',
  isHubAlone: false,
} as Partial<Fleet> as Fleet;
