import { configureTriggers, LIMIT, SENSOR, Targets, triggerAbove } from '../hub/trigger-load.ts';
import { sendUploads, uploadOf } from '../hub/uploads.ts';
import type { BenchContext, Measure, Outcome } from '../measure.ts';
import { firstPart, startBenchHub } from '../servers/hub.ts';
import { median, rowOf } from '../statistics.ts';

const TARGETS = 100;
/** These accept each request, and never answer. */
const HANGING = 10;
/** Each is sent to every target. */
const UPLOADS = 100;

/** Milliseconds from sending a reading to each of its webhooks at the targets that always answer. */
async function latencies({ scratchFolder }: BenchContext, hanging: readonly number[]): Promise<number[]> {
  const hub = await startBenchHub(scratchFolder);
  const targets = await Targets.listen(hanging);
  try {
    const { partId } = await firstPart(hub);
    const numbers = Array.from({ length: TARGETS }, (_, index) => index + 1);
    await configureTriggers(hub, partId, [
      triggerAbove(
        'hot',
        LIMIT,
        numbers.map((number) => targets.url(number)),
      ),
    ]);
    const arriving = targets.arrivals((TARGETS - hanging.length) * UPLOADS);
    const uploads = Array.from({ length: UPLOADS }, (_, count) =>
      uploadOf(`reading-${count}`, {
        ...{ partId, componentName: SENSOR },
        at: Date.now() + count,
        values: [{ celsius: LIMIT + 1, count }],
      }),
    );
    const sentAt: number[] = [];
    for (const upload of uploads) {
      sentAt.push(performance.now());
      await sendUploads(hub.owner, [upload], 1);
    }
    const arrivals = await arriving;
    return arrivals
      .filter(({ target }) => target > HANGING)
      .map(({ at, count }) => at - (sentAt[count] ?? Number.NaN))
      .sort((a, b) => a - b);
  } finally {
    await targets.close();
    await hub.end();
  }
}

const p99 = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;

/** 10,000 webhooks to 100 receivers, of which 10 accept them and never answer, compared with 100 that answer. */
export const triggerDeliveries: Measure = {
  name: 'trigger-deliveries',
  isDefault: true,
  async run(context): Promise<readonly Outcome[]> {
    const found = { ours: [] as number[], peer: [] as number[], middle: [] as number[], perSecond: [] as number[] };
    for (let round = 1; round <= Math.min(3, context.rounds); round++) {
      context.note(`round ${round}`);
      const some = await latencies(
        context,
        Array.from({ length: HANGING }, (_, index) => index + 1),
      );
      const none = await latencies(context, []);
      found.ours.push(p99(some));
      found.peer.push(p99(none));
      found.middle.push(median(some));
      found.perSecond.push((TARGETS * UPLOADS) / ((none.at(-1) ?? Number.NaN) / 1_000));
    }
    return [
      rowOf(
        {
          name: 'deliveries, 10 of 100 targets hang',
          what: `p99 from a reading to its webhook, ${TARGETS * UPLOADS} webhooks in one go: of the ${TARGETS - HANGING} targets that answer / the same with none that hangs`,
          unit: 'ms',
          target: { kind: 'at most', value: 1.2 },
        },
        found,
        { 'median, ms': median(found.middle), 'webhooks a second, none hangs': median(found.perSecond) },
      ),
    ];
  },
};
