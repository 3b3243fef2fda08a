import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import { openTestStore, testStores } from '../../storage/testing/test-stores.ts';
import { Authority } from './authority.ts';

describe.each(testStores)('the authority of a hub on $name', (kind) => {
  it.each(['1970-01-02', '2026-11-22', '2199-01-01'])(
    'created while the clock said %s is valid when the clock is right',
    async (day) => {
      const { store, end } = await openTestStore(kind);
      const { certificate } = await Authority.open(store, new ManualClock(Date.parse(day)), 'hub');
      const { validFromDate, validToDate } = new X509Certificate(certificate);
      expect(validFromDate.getTime()).toBeLessThanOrEqual(Date.UTC(2026, 0, 1));
      expect(validToDate.getTime()).toBeGreaterThan(Date.UTC(2045, 0, 1));
      await end();
    },
  );
});
