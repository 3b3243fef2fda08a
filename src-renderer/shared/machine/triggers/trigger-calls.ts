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

/** Filter of the deliveries of a part. */
export interface DeliveryQuery {
  readonly partId: string;
  /** Only of this trigger; '' for all. */
  readonly trigger: string;
  /** Only in this state; unspecified for all. */
  readonly state: Delivery_State;
  readonly limit: number;
  /** Token from the previous page; '' for the newest. */
  readonly token: string;
}

/** Triggers of parts, in the hub of this page. `dryRun` and `countFirings` take an entry of `triggers` as JSON. */
export interface TriggerCalls {
  /** The triggers of the stored configuration, in its order, with the state of each. */
  list(partId: string, signal: AbortSignal): Promise<readonly TriggerState[]>;
  deliveries(query: DeliveryQuery, signal: AbortSignal): Promise<ItemPage<Delivery>>;
  /** A delivery with what was sent and answered. */
  delivery(id: string, signal: AbortSignal): Promise<GetDeliveryResponse>;
  replay(id: string): Promise<void>;
  /** @param target URL or address of one of its targets. @returns the id of the delivery */
  sendTest(partId: string, trigger: string, target: string): Promise<string>;
  /** @param reading JSON; '' for an event without data */
  dryRun(partId: string, trigger: string, reading: string, signal: AbortSignal): Promise<DryRunResponse>;
  /** How often a trigger would have fired in the last day. */
  countFirings(partId: string, trigger: string, signal: AbortSignal): Promise<CountFiringsResponse>;
  rotateSecret(partId: string, url: string): Promise<RotateSecretResponse>;
  /** Whether the hub can send mail; undefined if the caller may not know. */
  hasMailServer(signal: AbortSignal): Promise<boolean | undefined>;
}
