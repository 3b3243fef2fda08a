import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import { ManualClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import type { HubEvent, IngestedData, NewEvent } from '../../events/event-kinds.ts';
import { EventLog } from '../../events/event-log.ts';
import { LogTime } from '../../logs/log-time.ts';
import { Fleet } from '../../fleet/fleet.ts';
import { PartVersions } from '../../history/part-versions.ts';
import type { Store } from '../../storage/store.ts';
import { Deliveries, type Delivery } from '../delivery/deliveries.ts';
import type { Resolve } from '../delivery/webhook/webhook-client.ts';
import type { Reading } from '../readings.ts';
import { Triggers, type TriggersOptions } from '../triggers-feature.ts';

interface Ids {
  readonly organization: string;
  readonly location: string;
  readonly machine: string;
  readonly part: string;
}

interface Made {
  readonly fleet: Fleet;
  readonly ids: Ids;
  readonly options: TriggersOptions;
  readonly clock: ManualClock;
  readonly triggers: Triggers;
  readonly readings: Map<string, readonly Reading[]>;
}

/** A store with one machine, and the triggers of its main part. */
export class TriggerBench {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly events: EventLog;
  readonly deliveries: Deliveries;
  /** Readings by upload id. */
  readonly readings: Map<string, readonly Reading[]>;
  readonly ids: Ids;
  triggers: Triggers;
  readonly #fleet: Fleet;
  readonly #options: TriggersOptions;
  #uploads = 0;

  private constructor(made: Made) {
    const { fleet, ids, options, clock, triggers, readings } = made;
    this.#fleet = fleet;
    this.#options = options;
    this.ids = ids;
    this.store = options.store;
    this.events = options.events;
    this.clock = clock;
    this.triggers = triggers;
    this.readings = readings;
    this.deliveries = new Deliveries(this.store);
  }

  static async open(
    store: Store,
    more: { readonly isEmbedded?: boolean; readonly resolve?: Resolve } = {},
  ): Promise<TriggerBench> {
    const clock = new ManualClock(Date.UTC(2026, 5, 1, 12));
    const events = await EventLog.open(store, clock, silentLogger);
    const time = await LogTime.open(store, clock);
    const fleet = new Fleet(store, clock);
    const ids = await store.transaction(async (tx) => {
      const organization = await fleet.organizations.create('Müller & Söhne', undefined, tx);
      const location = await fleet.locations.create(organization.id, 'Halle 3', undefined, tx);
      const machine = await fleet.machines.create('press', location.id, tx);
      const part = await tx
        .selectFrom('parts')
        .select('id')
        .where('machine_id', '=', machine.id)
        .executeTakeFirstOrThrow();
      return { organization: organization.id, location: location.id, machine: machine.id, part: part.id };
    });
    const readings = new Map<string, readonly Reading[]>();
    const options: TriggersOptions = {
      store,
      events,
      readingsOf: (uploadId) => Promise.resolve(readings.get(uploadId) ?? []),
      isEmbedded: true,
      clock,
      age: () => time.now(),
      logger: silentLogger,
      random: () => 0,
      ...more,
    };
    return new TriggerBench({ fleet, ids, options, clock, triggers: await Triggers.open(options), readings });
  }

  /** Sets the triggers of the part. */
  async configure(...triggers: readonly JsonValue[]): Promise<void> {
    const { store, clock, events } = this;
    const versions = new PartVersions(store, clock, this.#fleet.parts, events);
    await store.transaction(async (tx) => {
      const part = await this.#fleet.parts.get(this.ids.part, tx);
      const version = { author: { type: 'local', id: '' } as const, note: '', summary: 's' };
      await versions.append(
        part,
        await versions.currentOf(part, tx),
        { ...version, text: JSON.stringify({ triggers }) },
        tx,
      );
    });
  }

  /** Adds events and handles them. Settles when their notifications have been sent. */
  async happen(...events: readonly NewEvent[]): Promise<readonly HubEvent[]> {
    const happened = await this.append(...events);
    await this.triggers.engine.handle(happened);
    await this.triggers.worker.idle();
    return happened;
  }

  /** Adds events without handling them. */
  async append(...events: readonly NewEvent[]): Promise<readonly HubEvent[]> {
    const { db } = this.store;
    const before = await db
      .selectFrom('events')
      .select((query) => query.fn.max('id').as('id'))
      .executeTakeFirst();
    await this.store.transaction((tx) => this.events.append(events, tx));
    const rows = await db
      .selectFrom('events')
      .select(['id', 'time'])
      .where('id', '>', Number(before?.id ?? 0))
      .orderBy('id')
      .execute();
    return rows.map(({ id, time }, index) => ({ ...events[index], id, time }) as HubEvent);
  }

  online(): NewEvent {
    return { kind: 'part.online', partId: this.ids.part, payload: {} };
  }

  away(lastSeen = this.clock.now()): NewEvent {
    return { kind: 'part.away', partId: this.ids.part, payload: { lastSeen } };
  }

  /** An event for an upload of readings of the sensor `tank`. */
  readingsCame(...readings: readonly { readonly [key: string]: JsonValue }[]): NewEvent {
    const event = this.ingested({});
    const { uploadId } = event.payload as IngestedData;
    const time = this.clock.now();
    this.readings.set(
      uploadId,
      readings.map((one) => ({ payload: { readings: one }, requestedAt: time - 20, receivedAt: time - 10 })),
    );
    return event;
  }

  ingested(data: Partial<IngestedData>): NewEvent {
    const time = this.clock.now();
    const uploadId = `upload-${++this.#uploads}`;
    const payload: IngestedData = {
      uploadId,
      type: 'tabular',
      componentName: 'tank',
      componentType: 'core:component:sensor',
      methodName: 'Readings',
      fileId: uploadId,
      minReceived: time - 1_000,
      maxReceived: time,
      count: 1,
      tags: [],
      ...data,
    };
    return { kind: 'data.ingested', partId: this.ids.part, payload };
  }

  /** The monotonic time of limits and retries, in milliseconds. */
  age(): number {
    return this.#options.age();
  }

  /** All deliveries, oldest first. */
  async all(): Promise<Delivery[]> {
    return (await this.deliveries.list(this.ids.part, { limit: 1_000 })).reverse();
  }

  /** Advances the clock, and sends what becomes due. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.triggers.worker.idle();
  }

  /** Closes and opens the triggers, like a restart of the hub. */
  async restart(): Promise<void> {
    await this.triggers.feature.close?.();
    this.triggers = await Triggers.open(this.#options);
  }

  async close(): Promise<void> {
    await this.triggers.feature.close?.();
    await this.events.close();
  }
}

export function webhook(value: string, seconds = 0): JsonValue {
  return { type: 'webhook', value, seconds_between_notifications: seconds };
}

export function trigger(
  name: string,
  type: string,
  notifications: readonly JsonValue[],
  more: { readonly [key: string]: JsonValue } = {},
): JsonValue {
  return { name, event: { type, ...more }, notifications: [...notifications] };
}

/** A conditional trigger on the readings of the sensor `tank`. */
export function onReadings(name: string, evals: readonly JsonValue[], notifications: readonly JsonValue[]): JsonValue {
  const conditional = { data_capture_method: 'sensor:tank:Readings', conditions: { evals: [...evals] } };
  return trigger(name, 'conditional_data_ingested', notifications, { conditional });
}
