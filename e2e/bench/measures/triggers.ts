import http from 'node:http';
import { configureTriggers, LIMIT, SENSOR, Targets, triggerAbove } from '../hub/trigger-load.ts';
import { sendUploads, uploadOf, type Upload } from '../hub/uploads.ts';
import type { Measure, Outcome } from '../measure.ts';
import { cpuMicros } from '../process-figures.ts';
import { firstPart, startBenchHub } from '../servers/hub.ts';
import { installNodeRed, makeUserFolder, msToFlow, startNodeRed, type Flow } from '../servers/node-red.ts';
import { median, quantile, rowOf } from '../statistics.ts';

const TRIGGERS = 100;
/**
 * Readings per upload: the upload every 6 s of a resource that is read 100 times a second, and an upload every second.
 */
const BATCHES = [600, 100] as const;
/** Readings per round, in uploads of each size. */
const READINGS = 18_000;
/** One of this many readings fires a trigger. */
const FIRES_ONE_OF = 100;
/** Concurrent calls, to both. */
const AT_ONCE = 4;
/** Requests that the peer gets in a round, each with one reading. */
const PEER_READINGS = 5_000;
const LATENCIES = 300;

const quiet = 20;
/** Thresholds of the rules: the first fires above {@link LIMIT}, the others never fire. */
const limits = Array.from({ length: TRIGGERS }, (_, index) => LIMIT + 10 * index);

/** A request with a reading goes through a switch of 100 rules; what matches the first rule goes to an address. */
function switchFlow(target: string): Flow {
  const rules = limits.map((limit) => ({ t: 'gt', v: String(limit), vt: 'num' }));
  // Without a position on the canvas, Node-RED would take it for a shared setting.
  const node = (id: string, type: string, properties: object) => ({ id, type, z: 'tab', x: 0, y: 0, ...properties });
  return [
    { id: 'tab', type: 'tab', label: 'bench' },
    node('ask', 'http in', { url: '/is-moving', method: 'get', wires: [['answer']] }),
    node('take', 'http in', { url: '/reading', method: 'post', wires: [['rules', 'answer']] }),
    node('rules', 'switch', {
      ...{ property: 'payload.data.data.celsius', propertyType: 'msg', rules, checkall: 'true', repair: false },
      ...{ outputs: TRIGGERS, wires: limits.map((_, at) => (at === 0 ? ['send'] : [])) },
    }),
    node('send', 'http request', { method: 'POST', ret: 'txt', url: target, wires: [[]] }),
    node('answer', 'http response', { statusCode: '200', wires: [] }),
  ];
}

/** Sends one reading per request over persistent connections. */
class Poster {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE });
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  post(celsius: number, count: number): Promise<void> {
    const body = JSON.stringify({ data: { data: { celsius, count } } });
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const request = http.request(
        { host: '127.0.0.1', port: this.#port, path: '/reading', method: 'POST', agent: this.#agent, headers },
        (response) => response.resume().on('end', resolve),
      );
      request.on('error', reject).end(body);
    });
  }

  /** @returns readings a second */
  async flood(count: number): Promise<number> {
    let sent = 0;
    const sender = async (): Promise<void> => {
      while (sent < count) {
        const number = sent++;
        await this.post(number % FIRES_ONE_OF === 0 ? LIMIT + 1 : quiet, number);
      }
    };
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: AT_ONCE }, sender));
    return count / ((performance.now() - startedAt) / 1_000);
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Uploads whose last reading fires one trigger, at most once. */
function uploadsOf(partId: string, batch: number, round: number): Upload[] {
  const at = Date.now();
  return Array.from({ length: READINGS / batch }, (_, upload) =>
    uploadOf(`${batch}-${round}-${upload}`, {
      ...{ partId, componentName: SENSOR },
      at: at + upload * batch,
      values: Array.from({ length: batch }, (_value, index) => ({
        celsius: index % FIRES_ONE_OF === FIRES_ONE_OF - 1 ? LIMIT + 1 : quiet,
        count: upload,
      })),
    }),
  );
}

/**
 * Readings matched against 100 triggers, until each is stored, matched, and its webhooks are queued durably, compared
 * with Node-RED's switch of 100 rules, which stores nothing; and the time from a reading to its webhook, through both.
 */
export const triggers: Measure = {
  name: 'triggers',
  isDefault: true,
  async run({ rounds, scratchFolder, note }): Promise<readonly Outcome[]> {
    await installNodeRed(note);
    const targets = await Targets.listen();
    const hub = await startBenchHub(scratchFolder);
    const userFolder = await makeUserFolder(scratchFolder, switchFlow(targets.url(2)));
    const nodeRed = await startNodeRed(userFolder, {});
    const poster = new Poster(nodeRed.port);
    try {
      await msToFlow(nodeRed);
      // It accepts requests even before its rules are loaded.
      await msToArrival(targets, () => poster.post(LIMIT + 1, 0));
      const { partId } = await firstPart(hub);
      const all = limits.map((limit) => triggerAbove(`above-${limit}`, limit, [targets.url(1)]));
      await configureTriggers(hub, partId, all);
      const matching = BATCHES.map(() => ({ ours: [] as number[], peer: [] as number[], micros: [] as number[] }));
      for (let round = 0; round <= rounds; round++) {
        note(round === 0 ? 'warms up' : `round ${round}`);
        const peerPerSecond = await poster.flood(PEER_READINGS);
        for (const [index, batch] of BATCHES.entries()) {
          const uploads = uploadsOf(partId, batch, round);
          const told = targets.arrivals(uploads.length);
          const [cpu, startedAt] = [cpuMicros(hub.child), performance.now()];
          await sendUploads(hub.owner, uploads, AT_ONCE);
          await told;
          const seconds = (performance.now() - startedAt) / 1_000;
          const micros = cpuMicros(hub.child) - cpu;
          if (round === 0) continue;
          matching[index]?.ours.push(READINGS / seconds);
          matching[index]?.peer.push(peerPerSecond);
          matching[index]?.micros.push(micros / READINGS);
        }
      }
      note('one by one');
      const alone = { ours: [] as number[], peer: [] as number[] };
      for (let count = 0; count < LATENCIES; count++) {
        const values = [{ celsius: LIMIT + 1, count }];
        const upload = uploadOf(`single-${count}`, { partId, componentName: SENSOR, at: Date.now(), values });
        alone.ours.push(await msToArrival(targets, () => sendUploads(hub.owner, [upload], 1)));
        alone.peer.push(await msToArrival(targets, () => poster.post(LIMIT + 1, count)));
      }
      return [
        ...BATCHES.map((batch, index) => {
          const { micros = [], ours = [], peer = [] } = matching[index] ?? {};
          return rowOf(
            {
              name: `triggers, ${batch} readings an upload`,
              what: `readings against ${TRIGGERS} triggers, until every webhook of them has come / Node-RED, http-in to a switch of ${TRIGGERS} rules`,
              unit: 'readings/s',
              target: index === 0 ? { kind: 'at least', value: 5 } : undefined,
            },
            { ours, peer },
            { 'processor time a reading, us': median(micros) },
          );
        }),
        rowOf(
          {
            name: 'triggers, reading to webhook',
            what: `one reading after the other, until its webhook has come / Node-RED, the same switch and its http request`,
            unit: 'ms',
            target: undefined,
          },
          { ours: [median(alone.ours)], peer: [median(alone.peer)] },
          { 'p99, ms': quantile(alone.ours, 0.99), 'p99 of the peer, ms': quantile(alone.peer, 0.99) },
        ),
      ];
    } finally {
      poster.close();
      await nodeRed.end();
      await hub.end();
      await targets.close();
    }
  },
};

async function msToArrival(targets: Targets, send: () => Promise<unknown>): Promise<number> {
  const arriving = targets.arrivals(1);
  const startedAt = performance.now();
  const [[arrival]] = await Promise.all([arriving, send()]);
  return (arrival?.at ?? Number.NaN) - startedAt;
}
