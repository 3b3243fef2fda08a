import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { SMTPServer } from 'smtp-server';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Delivery_State, MailServer_Security, TriggerServiceDefinition } from '../../proto/gen/core/hub/v1/trigger.ts';
import { CapturedData } from '../harness/captured-data.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';
import { tell } from './figures.ts';
import { OtherClock, whyNoOtherClock } from './other-clock.ts';
import { fill, makeSmallDisk, whyNoSmallDisk } from './small-disk.ts';

interface Arrival {
  readonly at: number;
  readonly id: string;
  /** `count` of the reading. */
  readonly count: number;
}

type Answer = (response: http.ServerResponse) => void;

const healthy: Answer = (response) => response.end();

/** Receivers at 127.0.0.1, 127.0.0.2 and so on, which a hub treats as separate hosts; their answers can be changed. */
class Hosts {
  readonly #server: http.Server;
  readonly #answers = new Map<string, Answer>();
  /** Requests to each, including rejected ones. */
  readonly arrivals = new Map<string, Arrival[]>();

  private constructor() {
    this.#server = http.createServer((request, response) => {
      const host = request.socket.localAddress ?? '';
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { data } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { data: { data: { count: number } } };
        const arrival = { at: Date.now(), id: String(request.headers['webhook-id']), count: data.data.count };
        this.arrivals.set(host, [...(this.arrivals.get(host) ?? []), arrival]);
        (this.#answers.get(host) ?? healthy)(response);
      });
    });
  }

  static async listen(): Promise<Hosts> {
    const hosts = new Hosts();
    await new Promise<void>((resolve) => hosts.#server.listen(0, '0.0.0.0', resolve));
    onTestFinished(async () => {
      hosts.#server.closeAllConnections();
      await new Promise((resolve) => hosts.#server.close(resolve));
    });
    return hosts;
  }

  url(host: string): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  answer(host: string, answer: Answer): void {
    this.#answers.set(host, answer);
  }

  at(host: string): readonly Arrival[] {
    return this.arrivals.get(host) ?? [];
  }
}

/** A port on which no program listens. */
async function portOfNobody(): Promise<number> {
  const server = http.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Target {
  readonly type: 'webhook' | 'email';
  readonly value: string;
  readonly seconds_between_notifications: number;
}

const webhook = (value: string, seconds = 0): Target => ({
  type: 'webhook',
  value,
  seconds_between_notifications: seconds,
});

/** A sensor with a trigger on `count`, which notifies all targets. */
const configWith = (notifications: readonly Target[]): string =>
  JSON.stringify({
    components: [
      {
        name: 'climate',
        api: 'core:component:sensor',
        model: 'fake',
        service_configs: [
          { type: 'data_manager', attributes: { capture_methods: [{ method: 'Readings', capture_frequency_hz: 1 }] } },
        ],
      },
    ],
    triggers: [
      {
        name: 'counted',
        event: {
          type: 'conditional_data_ingested',
          conditional: {
            data_capture_method: 'sensor:climate:Readings',
            conditions: { evals: [{ operator: 'gte', value: { count: 0 } }] },
          },
        },
        notifications,
      },
    ],
  });

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const sorted = (values: Iterable<number>): number[] => [...values].sort((a, b) => a - b);

/** Counts that a host received, each under one id. */
function countsOf(arrivals: readonly Arrival[]): number[] {
  const byCount = Map.groupBy(arrivals, ({ count }) => count);
  for (const [count, same] of byCount) expect(new Set(same.map(({ id }) => id)).size, `ids of ${count}`).toBe(1);
  return sorted(byCount.keys());
}

describe('notifications', () => {
  let hosts: Hosts;
  let fleet: Fleet;
  let partId = '';
  let data: CapturedData;

  beforeEach(async () => {
    hosts = await Hosts.listen();
  });

  async function open(notifications: readonly Target[], place?: { data: string; through: readonly string[] }) {
    fleet = await Fleet.start([], place);
    partId = await fleet.partId();
    await fleet.call(TriggerServiceDefinition, 'setAllowedNetworks', { networks: ['127.0.0.0/8'] });
    await fleet.setConfig(partId, configWith(notifications));
    data = CapturedData.withKey(fleet.owner, partId);
  }

  const send = (count: number): Promise<void> => data.readings([{ at: Date.now(), values: { count } }]);

  const inState = async (state: Delivery_State) => {
    const request = { partId, trigger: '', state, limit: 1_000, pageToken: '' };
    return (await fleet.call(TriggerServiceDefinition, 'listDeliveries', request)).deliveries;
  };
  const nothingWaits = async (): Promise<boolean> => (await inState(Delivery_State.QUEUED)).length === 0;

  it('to receivers that fail, want a rest, hang and hang up, and to a mail server that is away, arrive once they can, and hold nobody else up', async () => {
    const [good, failing, busy, hanging, closing] = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6'];
    const mails: string[] = [];
    const mailServer = (): SMTPServer =>
      new SMTPServer({
        authOptional: true,
        disabledCommands: ['STARTTLS'],
        onData: (stream, _session, callback) => {
          let text = '';
          stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          stream.on('end', () => {
            mails.push(/^Message-ID: <(.*)@/im.exec(text)?.[1] ?? '');
            callback();
          });
        },
      });
    const port = await portOfNobody();

    await open([
      ...[good, failing, busy, hanging, closing].map((host) => webhook(hosts.url(host))),
      { type: 'email', value: 'ann@example.com', seconds_between_notifications: 0 },
    ]);
    await fleet.call(TriggerServiceDefinition, 'setMailServer', {
      mailServer: {
        ...{ host: '127.0.0.1', port, security: MailServer_Security.NONE },
        ...{ user: '', sender: 'hub@example.com', authority: '' },
      },
    });
    const WAIT_S = 10;
    hosts.answer(failing, (response) => response.writeHead(500).end('out of order'));
    hosts.answer(busy, (response) => response.writeHead(429, { 'retry-after': String(WAIT_S) }).end());
    hosts.answer(hanging, () => undefined);
    hosts.answer(closing, (response) => response.destroy());

    const COUNT = 20;
    for (const count of numbers(COUNT)) await send(count);
    await until('the good one has all', () => hosts.at(good).length === COUNT, 30_000);
    await until('each of the others was tried', () => hosts.arrivals.size === 5, 30_000);
    await until(
      'the mail was tried',
      async () => {
        const queued = await inState(Delivery_State.QUEUED);
        return queued.some(({ type, failure }) => type === 'email' && failure !== '');
      },
      30_000,
    );
    for (const host of [failing, busy, hanging, closing]) {
      expect((await inState(Delivery_State.DELIVERED)).filter(({ target }) => target.includes(host))).toEqual([]);
    }

    const mendedAt = Date.now();
    for (const host of [failing, busy, hanging, closing]) hosts.answer(host, healthy);
    const smtp = mailServer();
    await new Promise<void>((resolve) => smtp.listen(port, '127.0.0.1', resolve));
    onTestFinished(() => new Promise<void>((resolve) => smtp.close(() => resolve())));
    // The third attempt is half a minute after the second, the fourth two minutes after that.
    await until('nothing waits', nothingWaits, 240_000, 250);

    expect(hosts.at(good)).toHaveLength(COUNT);
    for (const host of [good, failing, busy, hanging, closing]) {
      expect(countsOf(hosts.at(host)), host).toEqual(numbers(COUNT));
    }
    for (const [count, tries] of Map.groupBy(hosts.at(busy), ({ count: of }) => of)) {
      const [first, second] = tries;
      if (first === undefined || second === undefined || first.at > mendedAt) continue;
      expect(second.at - first.at, `rest of ${count}`).toBeGreaterThanOrEqual(WAIT_S * 1_000);
    }
    expect(new Set(mails).size).toBe(COUNT);
    expect(mails).toHaveLength(COUNT);
    expect(await inState(Delivery_State.DEAD)).toEqual([]);
    const tries = [failing, busy, hanging, closing].map((host) => hosts.at(host).length);
    tell(
      `${COUNT} notifications to each of six: all delivered; requests to those that failed, wanted a rest, hung and hung up: ${tries.join(', ')}; over ${((Date.now() - mendedAt) / 1_000).toFixed(0)} s after they were mended`,
    );
  }, 400_000);

  it.skipIf(whyNoSmallDisk !== undefined)(
    'while the disk of the hub is full: what is not taken is refused by name and tells nobody, what was taken is told, once there is room',
    async () => {
      const disk = await makeSmallDisk(24);
      onTestFinished(() => disk.remove());
      const host = '127.0.0.2';
      await open([webhook(hosts.url(host))], { data: path.join(disk.folder, 'data'), through: disk.through });
      const taken: number[] = [];
      const refused: string[] = [];
      let count = 0;
      const tryToSend = (): Promise<void> => {
        const mine = count++;
        return send(mine).then(
          () => void taken.push(mine),
          (thrown: unknown) => void refused.push((thrown as { details: string }).details),
        );
      };
      while (taken.length < 10) await tryToSend();
      const makeRoom = await fill(disk);
      for (let attempt = 0; attempt < 30; attempt++) await tryToSend();
      expect(refused.length).toBeGreaterThan(0);
      for (const why of refused) expect(why).toMatch(/disk of the hub is full.*free some space/);
      await makeRoom();
      while (taken.length < 40) await tryToSend();
      await until('all are told of', () => countsOf(hosts.at(host)).length >= taken.length, 60_000, 100);
      await until('nothing waits', nothingWaits, 60_000, 100);
      expect(countsOf(hosts.at(host))).toEqual(sorted(taken));
      tell(
        `disk of the hub full: ${refused.length} uploads refused by name; ${taken.length} taken, all told of, in ${hosts.at(host).length} requests`,
      );
    },
    200_000,
  );

  it.skipIf(whyNoOtherClock !== undefined)(
    `while the clock of the hub is set back (${whyNoOtherClock ?? 'one of its own'}): limits and retries last as long as before`,
    async () => {
      const clock = await OtherClock.make(0);
      const [limited, flaky] = ['127.0.0.2', '127.0.0.3'];
      const SECONDS = 5;
      const place = { data: path.join(await temporaryFolder(), 'data'), through: clock.through };
      await open([webhook(hosts.url(limited), SECONDS), webhook(hosts.url(flaky))], place);
      hosts.answer(flaky, (response) => response.writeHead(503).end());
      let count = 0;
      const seconds = new Map<string, number>();
      for (const [what, days] of [
        ['as it was', 0],
        ['a day back', -1],
        ['three days back', -3],
      ] as const) {
        await clock.set(days);
        const before = hosts.at(limited).length;
        const startedAt = performance.now();
        while (hosts.at(limited).length === before) await send(count++);
        seconds.set(what, (performance.now() - startedAt) / 1_000);
      }
      const told = hosts.at(limited).map(({ at }) => at);
      for (const [index, at] of told.entries()) {
        if (index > 0) expect(at - (told[index - 1] ?? 0)).toBeGreaterThanOrEqual(SECONDS * 1_000 - 500);
      }
      // A jump of the clock does not delay anything by a day: the limit is exceeded only by the time of an upload.
      for (const [what, took] of seconds) expect(took, what).toBeLessThan(2 * SECONDS);

      hosts.answer(flaky, healthy);
      await clock.set(-4);
      await until('nothing waits', nothingWaits, 240_000, 250);
      expect(countsOf(hosts.at(flaky))).toEqual(numbers(count));
      const span = [...seconds].map(([what, took]) => `${what} ${took.toFixed(1)} s`).join(', ');
      tell(
        `clock set while a limit of ${SECONDS} s counts: told after ${span}; all ${count} of another target delivered`,
      );
    },
    400_000,
  );
});
