import type {
  CountFiringsResponse,
  Delivery,
  Delivery_State,
  DryRunResponse,
  GetDeliveryResponse,
  RotateSecretResponse,
  TriggerState,
} from '../../../../proto/gen/core/hub/v1/trigger.ts';
import type { ItemPage } from '../data/data-calls.ts';

/** Which deliveries of a part are asked for. */
export interface DeliveryQuery {
  readonly partId: string;
  /** Of this trigger only; '' is all. */
  readonly trigger: string;
  /** In this state only; unspecified is all. */
  readonly state: Delivery_State;
  readonly limit: number;
  /** Of the page before; '' for the newest. */
  readonly token: string;
}

/** Triggers of parts, as the hub of this page has them. A trigger that is sent is an entry of `triggers`, as JSON. */
export interface TriggerCalls {
  /** Those of the stored configuration, in its order, with what became of each. */
  list(partId: string, signal: AbortSignal): Promise<readonly TriggerState[]>;
  deliveries(query: DeliveryQuery, signal: AbortSignal): Promise<ItemPage<Delivery>>;
  /** One with what was sent and answered. */
  delivery(id: string, signal: AbortSignal): Promise<GetDeliveryResponse>;
  replay(id: string): Promise<void>;
  /** @param target URL or address of one of its targets. @returns the id of the delivery */
  sendTest(partId: string, trigger: string, target: string): Promise<string>;
  /** @param reading JSON; '' for an event without data */
  dryRun(partId: string, trigger: string, reading: string, signal: AbortSignal): Promise<DryRunResponse>;
  /** How often a trigger would have fired in the last day. */
  countFirings(partId: string, trigger: string, signal: AbortSignal): Promise<CountFiringsResponse>;
  rotateSecret(partId: string, url: string): Promise<RotateSecretResponse>;
  /** Whether the hub can send mail; undefined where the caller may not know. */
  hasMailServer(signal: AbortSignal): Promise<boolean | undefined>;
}
