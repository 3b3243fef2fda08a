import { TriggerServiceDefinition } from '../../../proto/gen/core/hub/v1/trigger.ts';
import type { Clock } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { serve, type Feature } from '../access/feature.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Store } from '../storage/store.ts';
import { Deliveries } from './delivery/deliveries.ts';
import { DeliveryWorker, PER_LANE } from './delivery/delivery-worker.ts';
import { Mailer } from './delivery/mailer.ts';
import { NotificationSettings } from './delivery/notification-settings.ts';
import type { StoredRequest } from './delivery/stored-request.ts';
import { WebhookClient, type Resolve } from './delivery/webhook/webhook-client.ts';
import { WebhookSecrets } from './delivery/webhook/webhook-secrets.ts';
import { WebhookSender } from './delivery/webhook/webhook-sender.ts';
import { PartTriggers } from './part-triggers.ts';
import type { ReadingsOf } from './readings.ts';
import { settingsService } from './calls/settings-service.ts';
import { TriggerEngine } from './trigger-engine.ts';
import { TriggerRecords } from './trigger-records.ts';
import { triggerService } from './calls/trigger-service.ts';

const LOOK_MS = 60 * 60 * 1_000;

export interface TriggersOptions {
  readonly store: Store;
  readonly events: EventLog;
  readonly readingsOf: ReadingsOf;
  /** The hub runs beside a machine: webhooks may be sent to this computer. */
  readonly isEmbedded: boolean;
  readonly clock: Clock;
  /** The time of limits and retries, milliseconds: only grows, and goes on where somebody sets the clock back. */
  readonly age: () => number;
  readonly logger: Logger;
  /** Of names; the system's, where it is left out. */
  readonly resolve?: Resolve;
  /** In [0, 1), for the part of each wait that is drawn. */
  readonly random?: () => number;
}

/** Triggers of parts: what fires them, and who is told. Deliveries that are over are kept for 30 days. */
export class Triggers {
  readonly feature: Feature;
  readonly engine: TriggerEngine;
  readonly records: TriggerRecords;
  readonly worker: DeliveryWorker;
  readonly #start: () => Promise<void>;

  private constructor(options: TriggersOptions, settings: NotificationSettings) {
    const { store, events, readingsOf, clock, age, logger, resolve, random } = options;
    const parts = new PartTriggers(store);
    const deliveries = new Deliveries(store);
    this.records = new TriggerRecords({ store, clock, logger });
    const { records } = this;
    const secrets = new WebhookSecrets(store, clock);
    const client = new WebhookClient({
      rules: settings.rules,
      connectionsPerHost: PER_LANE,
      ...(resolve === undefined ? {} : { resolve }),
    });
    const webhooks = new WebhookSender({ client, secrets, clock });
    const mailer = new Mailer(settings, clock);
    this.worker = new DeliveryWorker({
      deliveries,
      clock,
      age,
      logger,
      ...(random === undefined ? {} : { random }),
      send: ({ id, part_id: partId, target_key, request }, signal) => {
        const stored = JSON.parse(request) as StoredRequest;
        return stored.kind === 'email'
          ? mailer.send(stored, id, signal)
          : webhooks.send(stored, { id, partId, targetKey: target_key, signal });
      },
    });
    const onQueued = this.worker.wake;
    this.engine = new TriggerEngine({ store, events, parts, deliveries, records, readingsOf, clock, age, onQueued });

    const remove = (): void => {
      deliveries.removeOld(clock.now()).catch((thrown: unknown) => {
        logger.warn(`Old deliveries are still there: ${toArmatureError(thrown).message}`);
      });
    };
    const keeping = clock.every(LOOK_MS, remove);
    this.#start = async () => {
      await settings.read();
      await this.engine.start();
      this.worker.wake();
    };
    this.feature = {
      services: [
        serve(TriggerServiceDefinition, {
          ...triggerService({ store, events, readingsOf, parts, deliveries, records, secrets, clock, age, onQueued }),
          ...settingsService({ store, settings, mailer, deliveries, age, onQueued }),
        }),
      ],
      close: async () => {
        keeping.cancel();
        await this.engine.close();
        await records.close();
        await this.worker.close();
        client.close();
      },
    };
  }

  /** Throws where the store cannot be read. */
  static async open(options: TriggersOptions): Promise<Triggers> {
    return new Triggers(options, await NotificationSettings.open(options.store, options.isEmbedded));
  }

  /** Begins to handle events, and to send what waits. Throws where the store cannot be read. */
  start(): Promise<void> {
    return this.#start();
  }
}
