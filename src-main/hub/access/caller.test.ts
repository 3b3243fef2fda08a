import { describe, expect, it } from 'vitest';
import type { Principal } from '../../rpc/principal.ts';
import type { Queries } from '../storage/tables.ts';
import { callerOf } from './caller.ts';

const nothing = undefined as unknown as Queries;
const of = (kind: Principal['kind'], entity: string) => callerOf({ kind, entity }, nothing, () => undefined);

describe('a caller of the hub', () => {
  it.each(['loopback', 'anonymous', 'module', 'hub'] as const)(
    'with the principal %s has no rights: it proved nothing',
    async (kind) => {
      await expect(of(kind, kind)).rejects.toMatchObject({ code: 'access.unauthenticated' });
    },
  );

  it('that is the user of this computer owns the fleet, and is named as the author', async () => {
    const { grants, author } = await of('user', 'grace');
    expect([grants, author]).toEqual(['everything', { type: 'local', id: 'grace' }]);
  });
});
