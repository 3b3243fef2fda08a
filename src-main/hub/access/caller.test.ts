import { describe, expect, it } from 'vitest';
import type { Principal } from '../../rpc/principal.ts';
import type { Queries } from '../storage/tables.ts';
import { callerOf } from './caller.ts';

const nothing = undefined as unknown as Queries;
const of = (kind: Principal['kind'], entity: string) => callerOf({ kind, entity }, nothing, () => undefined);

describe('a caller of the hub', () => {
  it.each(['loopback', 'anonymous', 'module', 'hub'] as const)(
    'who is %s is nobody: it has proved nothing',
    async (kind) => {
      await expect(of(kind, kind)).rejects.toMatchObject({ code: 'access.unauthenticated' });
    },
  );

  it('who is the user of this computer owns the fleet, and is the author by name', async () => {
    const { grants, author } = await of('user', 'grace');
    expect([grants, author]).toEqual(['everything', { type: 'local', id: 'grace' }]);
  });
});
