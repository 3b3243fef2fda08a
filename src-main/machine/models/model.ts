import type { JsonObject, Resource } from '../../apis/resource.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Forwarder } from '../../rpc/router.ts';
import type { ModelSummary } from '../../../proto/config/models/builtin-models.ts';

/** Names of the resources a model instance needs, short or full. */
export interface Dependencies {
  /** Must be ready before the instance is built. */
  readonly required: readonly string[];
  /** Handed over when ready; the instance is rebuilt when one appears or disappears. */
  readonly optional: readonly string[];
}

export const noDependencies: Dependencies = { required: [], optional: [] };

/** What a model's constructor is given. */
export interface BuildContext<A> {
  /** Short name of the instance. */
  readonly name: string;
  readonly attributes: A;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Aborts when the time for configuration is over or the resource is no longer wanted. */
  readonly signal: AbortSignal;
  /** A dependency by the name the attributes use. Throws `resource.not_found` for a name not declared. */
  dependency<R extends Resource>(api: string, name: string): R;
  /** An optional dependency, or undefined where it is not ready. */
  optionalDependency<R extends Resource>(api: string, name: string): R | undefined;
}

/** A built resource, with what the graph may ask of it beyond its API. */
export interface BuiltResource extends Resource {
  /**
   * Takes new attributes without stopping. Called only when every changed key
   * is among the model's `inPlace`. Throwing leaves the old attributes in force
   * and makes the graph rebuild.
   */
  reconfigure?(attributes: JsonObject): Promise<void>;
  /** Set where the instance lives in another process: its calls are forwarded untouched. */
  readonly forwarder?: Forwarder;
}

/**
 * The cheap part of a model: enough to validate, plan and describe it. The
 * code that drives anything is loaded only when a configuration names it.
 */
export interface ModelDescription extends ModelSummary {
  /** Top-level attributes that take effect without a rebuild. */
  readonly inPlace: readonly string[];
  /** Whether a rebuild of it stops something that moves; shown in the plan. */
  readonly isActuator: boolean;
  /**
   * Whether a second instance may be built while the first still runs, because
   * it owns no hardware that only one can have. Then a rebuild for its own
   * configuration leaves no gap (B2.10).
   */
  readonly mayCoexist: boolean;
  dependencies?(attributes: JsonObject): Dependencies;
}

export interface Model extends ModelDescription {
  build(context: BuildContext<JsonObject>): Promise<BuiltResource>;
}

/** An entry of the catalog: the description at hand, the code behind a dynamic import. */
export interface CatalogEntry extends ModelDescription {
  load(): Promise<Pick<Model, 'build'>>;
}
