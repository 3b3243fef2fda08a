import { TriggerServiceDefinition } from '../../../proto/gen/core/hub/v1/trigger.ts';
import type { Clock } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { serve, type Feature } from '../access/feature.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Store } from '../storage/store.ts';
import { Deliveries } from './delivery/deliveries.ts';
import { DeliveryWorker, MAX_PER_LANE } from './delivery/delivery-worker.ts';
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

/** How often old deliveries are deleted. */
const CLEANUP_INTERVAL_MS = 60 * 60 * 1_000;

export interface TriggersOptions {
  readonly store: Store;
  readonly events: EventLog;
  readonly readingsOf: ReadingsOf;
  /** Whether the hub is embedded in a machine, so that webhooks may be sent to this computer. */
  readonly isEmbedded: boolean;
  readonly clock: Clock;
  /** The monotonic time of limits and retries, in milliseconds: goes on even if the clock is set back. */
  readonly age: () => number;
  readonly logger: Logger;
  /** Looks up names. Default: the system's. */
  readonly resolve?: Resolve;
  /** Random numbers in [0, 1), for the jitter of each wait. */
  readonly random?: () => number;
}

/** Evaluates the triggers of parts and sends their notifications. Finished deliveries are kept for 30 days. */
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
      connectionsPerHost: MAX_PER_LANE,
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
        logger.warn(`Old deliveries cannot be deleted now: ${toArmatureError(thrown).message}`);
      });
    };
    const keeping = clock.every(CLEANUP_INTERVAL_MS, remove);
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

  /** Throws if the store cannot be read. */
  static async open(options: TriggersOptions): Promise<Triggers> {
    return new Triggers(options, await NotificationSettings.open(options.store, options.isEmbedded));
  }

  /** Begins to handle events and to send waiting notifications. Throws if the store cannot be read. */
  start(): Promise<void> {
    return this.#start();
  }
}
