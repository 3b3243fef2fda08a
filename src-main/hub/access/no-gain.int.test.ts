import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actions } from '../../../proto/config/permissions.ts';
import { silentLogger } from '../../base/logger.ts';
import { ManualClock } from '../../base/clock.ts';
import { findPlace, type Place, type Target } from '../places/place.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { CallFailure, TestHub, type Login } from '../testing/test-hub.ts';
import { callerOf } from './caller.ts';

const levels = ['organization', 'location', 'robot'] as const;
type Level = (typeof levels)[number];

/** An index into the existing things when a step runs; often one of the first, which exist from the start. */
const pick = fc.oneof(fc.nat({ max: 4 }), fc.nat({ max: 1_000 }));
const role = fc.record({ level: fc.constantFrom(...levels), role: fc.constantFrom('owner', 'operator'), at: pick });
type RoleChoice = typeof role extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  fc.record({ kind: fc.constant('create'), by: pick, roles: fc.array(role, { minLength: 1, maxLength: 2 }) }),
  fc.record({
    kind: fc.constantFrom('copy', 'rotate', 'delete', 'rename', 'organization'),
    by: pick,
    key: pick,
  }),
  fc.record({ kind: fc.constantFrom('grant', 'ungrant'), by: pick, key: pick, role }),
  fc.record({ kind: fc.constant('change'), by: pick, key: pick, role, to: role }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Indexes of the keys that exist from the start. */
const [OWNER, MAKER, BARE, FOREIGN] = [0, 1, 2, 3];
/** Index of the first key that is created after that. */
const MADE = 4;

const ownerOfFirst: RoleChoice = { level: 'organization', role: 'owner', at: 0 };
const operatorOfOuter: RoleChoice = { level: 'location', role: 'operator', at: 0 };
const ownerOfOuter: RoleChoice = { level: 'location', role: 'owner', at: 0 };

/** One call of each kind, all of which succeed. */
const oneOfEach: readonly Step[] = [
  { kind: 'create', by: OWNER, roles: [ownerOfFirst] },
  { kind: 'rename', by: OWNER, key: MADE },
  { kind: 'rotate', by: OWNER, key: MADE },
  { kind: 'copy', by: OWNER, key: MADE },
  { kind: 'grant', by: OWNER, key: BARE, role: operatorOfOuter },
  { kind: 'change', by: OWNER, key: BARE, role: operatorOfOuter, to: ownerOfOuter },
  { kind: 'ungrant', by: OWNER, key: BARE, role: ownerOfOuter },
  { kind: 'organization', by: OWNER, key: OWNER },
  { kind: 'delete', by: OWNER, key: MADE },
];

/**
 * Two organizations, each with a location in a location and a machine in each of them. The first has an owner, another
 * owner who created an organization, and a key without roles; the second has an owner.
 */
class World {
  readonly test: TestHub;
  readonly things: Record<Level, string[]> = { organization: [], location: [], robot: [] };
  /** Keys with their last known secret. */
  readonly keys: Login[] = [];
  /** By key: the keys whose secrets its holder knows, its own first. */
  readonly known = new Map<string, Set<string>>();

  constructor(test: TestHub) {
    this.test = test;
  }

  static async make(): Promise<World> {
    const [kind] = testStores;
    if (kind === undefined) throw new Error('there is no store to test on');
    const world = new World(await TestHub.open(kind, new ManualClock(Date.UTC(2026, 0, 1))));
    const { first } = world.test;
    const hub = world.test.hub.parts;
    world.things.organization.push(first.organizationId);
    world.holds(first.ownerKey);
    await hub.store.transaction(async (tx) => {
      const other = await hub.fleet.organizations.create('Other', undefined, tx);
      world.things.organization.push(other.id);
      for (const organization of [...world.things.organization]) {
        const outer = await hub.fleet.locations.create(organization, 'Outer', undefined, tx);
        const inner = await hub.fleet.locations.create(organization, 'Inner', outer.id, tx);
        world.things.location.push(outer.id, inner.id);
        for (const { id } of [outer, inner])
          world.things.robot.push((await hub.fleet.machines.create('arm', id, tx)).id);
      }
      const owning = (id: string) =>
        ({ role: 'owner', resourceType: 'organization', resourceId: id, organizationId: id }) as const;
      const own = owning(first.organizationId);
      world.holds(await hub.keys.create('maker', [own], tx));
      const bare = await hub.keys.create('bare', [own], tx);
      await hub.keys.disallow(bare.id, own, tx);
      world.holds(bare);
      world.holds(await hub.keys.create('other', [owning(other.id)], tx));
    });
    await hub.credentials.refresh();
    await world.take({ kind: 'organization', by: MAKER, key: 0 });
    return world;
  }

  holds(login: Login): void {
    this.keys.push(login);
    this.known.set(login.id, new Set([login.id]));
  }

  async places(): Promise<Place[]> {
    const targets = [
      ...this.things.organization.map((id): Target => ({ type: 'organization', id })),
      ...this.things.location.map((id): Target => ({ type: 'location', id })),
      ...this.things.robot.map((id): Target => ({ type: 'machine', id })),
    ];
    const places = await Promise.all(targets.map((target) => findPlace(this.test.hub.parts.store.db, target)));
    return places.filter((place) => place !== undefined);
  }

  /** Everything that the holder of these keys may do. */
  async rights(keyIds: Iterable<string>): Promise<ReadonlySet<string>> {
    const { db } = this.test.hub.parts.store;
    const rights = new Set<string>();
    const places = await this.places();
    for (const entity of keyIds) {
      const caller = await callerOf({ kind: 'api-key', entity }, db, (message) => silentLogger.debug(message));
      for (const place of places) {
        for (const action of actions) if (caller.may(action, place)) rights.add(`${action} ${JSON.stringify(place)}`);
      }
    }
    return rights;
  }

  #roleAt({ level, role: name, at }: RoleChoice, identityId: string) {
    const resourceId = this.things[level][at % this.things[level].length] ?? '';
    const identity = { identityId, identityType: 'api-key', organizationId: '' };
    const authorizationId = `${level}_${name}`;
    return { authorizationType: 'role', authorizationId, resourceType: level, resourceId, ...identity };
  }

  /** Makes the call; from then on its caller knows the secrets that it returned. */
  async take(one: Step): Promise<string> {
    const by = this.keys[one.by % this.keys.length];
    if (by === undefined) return '';
    const call = await this.test.as(by);
    const told = ({ id, key }: { readonly id: string; readonly key: string }): void => {
      // A replaced secret no longer works for those who knew it.
      for (const secrets of this.known.values()) secrets.delete(id);
      this.known.get(by.id)?.add(id);
      const at = this.keys.findIndex((login) => login.id === id);
      if (at >= 0) this.keys[at] = { id, secret: key };
      else this.keys.push({ id, secret: key });
      if (!this.known.has(id)) this.known.set(id, new Set([id]));
      this.known.get(id)?.add(id);
    };
    const id = 'key' in one ? (this.keys[one.key % this.keys.length]?.id ?? '') : '';
    switch (one.kind) {
      case 'create':
        told(await call('createKey', { name: 'k', authorizations: one.roles.map((each) => this.#roleAt(each, '')) }));
        break;
      case 'copy':
        told(await call('createKeyFromExistingKeyAuthorizations', { id }));
        break;
      case 'rotate':
        told(await call('rotateKey', { id }));
        break;
      case 'delete':
        await call('deleteKey', { id });
        // Further attempts with this key would fail and be rate-limited.
        this.keys.splice(
          this.keys.findIndex((login) => login.id === id),
          1,
        );
        break;
      case 'rename':
        await call('renameKey', { id, name: 'renamed' });
        break;
      case 'organization': {
        const { organization } = await call('createOrganization', { name: 'More' });
        this.things.organization.push(organization?.id ?? '');
        break;
      }
      case 'grant':
        await call('addRole', { authorization: this.#roleAt(one.role, id) });
        break;
      case 'ungrant':
        await call('removeRole', { authorization: this.#roleAt(one.role, id) });
        break;
      case 'change': {
        const [oldAuthorization, newAuthorization] = [this.#roleAt(one.role, id), this.#roleAt(one.to, id)];
        await call('changeRole', { oldAuthorization, newAuthorization });
        break;
      }
    }
    return by.id;
  }
}

/** The organization that owns each key. */
async function owners({ test }: World): Promise<ReadonlyMap<string, string>> {
  const rows = await test.hub.parts.store.db.selectFrom('api_keys').select(['id', 'organization_id']).execute();
  return new Map(rows.map(({ id, organization_id }) => [id, organization_id]));
}

describe('calls about keys, in any order by anybody', () => {
  it('give nobody a right that they did not have, and an organization can always delete its keys', async () => {
    const taken = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), async (steps) => {
        const world = await World.make();
        try {
          for (const one of steps) {
            const by = world.keys[one.by % world.keys.length]?.id ?? '';
            const before = await world.rights(world.known.get(by) ?? []);
            const thingsBefore = new Set(world.things.organization);
            try {
              if ((await world.take(one)) !== '') taken.add(one.kind);
            } catch (thrown) {
              if (!(thrown instanceof CallFailure)) throw thrown;
              continue;
            }
            const after = await world.rights(world.known.get(by) ?? []);
            // Nobody had rights for what the caller has just created.
            const made = world.things.organization.filter((id) => !thingsBefore.has(id));
            const gained = [...after].filter((right) => !before.has(right) && !made.some((id) => right.includes(id)));
            expect(gained).toEqual([]);
          }
          await expectEveryKeyCanBeEnded(world);
        } finally {
          await world.test.end();
        }
      }),
      {
        numRuns: 20,
        examples: [
          [[...oneOfEach]],
          [[{ kind: 'rotate', by: OWNER, key: MAKER }]],
          [[{ kind: 'copy', by: OWNER, key: MAKER }]],
          [[{ kind: 'rotate', by: FOREIGN, key: BARE }]],
          [[{ kind: 'grant', by: FOREIGN, key: BARE, role: { level: 'organization', role: 'owner', at: 1 } }]],
          [[{ kind: 'delete', by: FOREIGN, key: OWNER }]],
        ],
      },
    );
    // The property means nothing if all calls are refused.
    expect([...taken].sort()).toEqual(oneOfEach.map(({ kind }) => kind).sort());
  }, 240_000);
});

/** Whatever was done before, an owner key created on the hub's computer can delete every key of its organization. */
async function expectEveryKeyCanBeEnded(world: World): Promise<void> {
  const hub = world.test.hub.parts;
  for (const [id, organizationId] of await owners(world)) {
    const whole = { role: 'owner', resourceType: 'organization', resourceId: organizationId } as const;
    const login = await hub.store.transaction((tx) => hub.keys.create('owner', [{ ...whole, organizationId }], tx));
    await hub.credentials.refresh();
    await (
      await world.test.as(login)
    )('deleteKey', { id });
    await expect(hub.keys.get(id)).rejects.toMatchObject({ code: 'call.not_found' });
  }
}
