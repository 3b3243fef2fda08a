import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import { callFixture, ConnectionFixture, setPower, type CallFixture } from './call.fixture.ts';
import { sessionInterceptor } from './session-interceptor.ts';
import { SessionRegistry } from './session-registry.ts';
import type { Principal } from '../../rpc/principal.ts';

const WINDOW_MS = 1_000;
const OWNERS = 4;
const MOTORS = 3;
const principal: Principal = { kind: 'loopback', entity: 'loopback' };

/** Owners 0 and 1 are sessions, 2 is a watched connection, 3 one that nobody can watch. */
type Step =
  | { readonly kind: 'begin'; readonly owner: number; readonly motor: number }
  | { readonly kind: 'finish'; readonly which: number; readonly outcome: 'done' | 'refused' }
  | { readonly kind: 'heartbeat'; readonly owner: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'disconnect' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('begin' as const), owner: fc.nat(OWNERS - 1), motor: fc.nat(MOTORS - 1) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('finish' as const),
      which: fc.nat(9),
      outcome: fc.constantFrom('done', 'done', 'refused'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('heartbeat' as const), owner: fc.nat(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(100, 400, 600, 999, 1_000) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'disconnect' as const }) },
);

/** The simplest form of the rule: every command ever, in order of arrival. */
interface Command {
  readonly owner: Owner;
  readonly motor: number;
  readonly call: CallFixture;
  state: 'running' | 'done' | 'refused';
  /** Stopped since it took effect. */
  wasStopped: boolean;
}
interface Owner {
  readonly kind: 'session' | 'connection' | 'unwatched';
  hasEnded: boolean;
}

it('a resource is stopped exactly when whoever commanded it last has gone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = new ManualClock();
      let stops: string[] = [];
      const registry = new SessionRegistry({
        clock,
        logger: silentLogger,
        windowMs: WINDOW_MS,
        stopOnDisconnect: true,
        apiOfService: () => 'core:component:motor',
        stopResource: (resource) => {
          stops.push(resource);
          return Promise.resolve();
        },
        isPinHeld: () => false,
        makePinSafe: () => Promise.resolve(),
      });
      const interceptor = sessionInterceptor(registry);
      const commands: Command[] = [];
      const sessions = [0, 1].map(() => ({ id: '', lastSeen: 0, owner: newOwner('session') }));
      for (const session of sessions) restart(session);
      let connection = new ConnectionFixture('watched');
      let connectionOwner = newOwner('connection');
      const unwatched = { connection: new ConnectionFixture('web', false), owner: newOwner('unwatched') };

      function restart(session: (typeof sessions)[number]): void {
        session.id = registry.start('', principal, unwatchedStart).id;
        session.lastSeen = clock.now();
        session.owner = newOwner('session');
      }

      for (const current of steps) {
        stops = [];
        /** Owners that ended in this step. */
        const ended = new Set<Owner>();
        switch (current.kind) {
          case 'begin': {
            const session = sessions[current.owner];
            const call = callFixture(setPower, `m${current.motor}`, {
              principal,
              connection: session !== undefined || current.owner === 3 ? unwatched.connection : connection,
              metadata: session === undefined ? {} : { 'viam-sid': session.id },
            });
            void interceptor.start?.(call);
            if (session !== undefined) session.lastSeen = clock.now();
            interceptor.request?.(call);
            const owner = session?.owner ?? (current.owner === 3 ? unwatched.owner : connectionOwner);
            commands.push({ owner, motor: current.motor, call, state: 'running', wasStopped: false });
            break;
          }
          case 'finish': {
            const running = commands.filter(({ state }) => state === 'running');
            const finished = running[current.which % Math.max(running.length, 1)];
            if (finished === undefined) break;
            finished.state = current.outcome;
            const code = current.outcome === 'done' ? StatusCode.OK : StatusCode.NOT_FOUND;
            interceptor.end?.(finished.call, { code, message: '' });
            break;
          }
          case 'heartbeat': {
            const session = sessions[current.owner];
            if (session === undefined) break;
            registry.heartbeat(session.id, principal, unwatched.connection);
            session.lastSeen = clock.now();
            break;
          }
          case 'pass': {
            clock.advance(current.ms);
            for (const session of sessions) {
              if (clock.now() - session.lastSeen < WINDOW_MS) continue;
              session.owner.hasEnded = true;
              ended.add(session.owner);
            }
            break;
          }
          case 'disconnect': {
            connection.close();
            connectionOwner.hasEnded = true;
            ended.add(connectionOwner);
            connection = new ConnectionFixture('watched again');
            connectionOwner = newOwner('connection');
            break;
          }
        }
        await registry.settled();

        const allowed: string[] = [];
        const due: string[] = [];
        for (let motor = 0; motor < MOTORS; motor++) {
          const last = commands.findLast((command) => command.motor === motor && command.state !== 'refused');
          if (last === undefined || !last.owner.hasEnded) continue;
          allowed.push(`core:component:motor/m${motor}`);
          // Stopped once when its owner ends, and once more if a call outlives its owner.
          const isDue = last.state === 'done' ? !last.wasStopped : ended.has(last.owner);
          if (!isDue) continue;
          last.wasStopped = last.state === 'done';
          due.push(`core:component:motor/m${motor}`);
        }
        expect(stops).toEqual(expect.arrayContaining(due));
        expect(allowed).toEqual(expect.arrayContaining(stops));
        for (const session of sessions) if (session.owner.hasEnded) restart(session);
      }

      // In every case: when all owners and calls have ended, nothing is recorded any more.
      clock.advance(WINDOW_MS);
      connection.close();
      for (const command of commands) {
        if (command.state === 'running') interceptor.end?.(command.call, { code: StatusCode.OK, message: '' });
      }
      await registry.settled();
      expect(registry.ownedOutputs).toBe(0);
    }),
    { numRuns: 500 },
  );
});

const unwatchedStart = new ConnectionFixture('start');

function newOwner(kind: Owner['kind']): Owner {
  return { kind, hasEnded: false };
}
