import { MAX_MESSAGE_BYTES } from '../../../proto/message.ts';
import { aliasPath, canonicalPath } from '../../base/dialect.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { withTimeout } from '../../base/async/timeout.ts';
import type { CallScope, Interceptor } from '../call.ts';
import { DeadlineQueue } from './deadline-queue.ts';
import { forwardedRoute, methodOf, unknownRoute, type AnyHandler, type Route } from './route.ts';
import type {
  CallHead,
  ForeignService,
  Forwarder,
  RequestSink,
  ResourceResolver,
  Responder,
  Router,
} from '../router.ts';
import { RoutedCall, type CallContext } from './server-call.ts';
import type { ResourceHandlers, ServiceDefinition, ServiceHandlers } from '../service.ts';

export { MAX_MESSAGE_BYTES };

export interface CallRouterOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Largest answer that is sent; larger ones fail with `call.too_large`. */
  readonly maxMessageBytes: number;
}

/** The router of a program: one table of methods, one row of interceptors, the calls under way. */
export class CallRouter implements Router {
  readonly #context: CallContext;
  readonly #clock: Clock;
  readonly #interceptors: Interceptor[] = [];
  /** By path, in both spellings, so that a call costs one look-up. */
  readonly #routes = new Map<string, Route>();
  readonly #services = new Map<string, readonly string[]>();
  readonly #forwarded = new Set<ForeignService>();
  /** Why services are not served, by their canonical names. */
  readonly #absences = new Map<string, string>();
  readonly #calls = new Set<RoutedCall>();
  #elsewhere: Forwarder | undefined;
  #isDraining = false;
  #whenEmpty: (() => void) | undefined;

  constructor(options: CallRouterOptions) {
    this.#clock = options.clock;
    this.#context = {
      clock: options.clock,
      logger: options.logger,
      deadlines: new DeadlineQueue(options.clock),
      interceptors: this.#interceptors,
      scope: undefined,
      maxMessageBytes: options.maxMessageBytes,
      ended: (call) => {
        this.#calls.delete(call);
        if (this.#calls.size === 0) this.#whenEmpty?.();
      },
    };
  }

  get inFlight(): number {
    return this.#calls.size;
  }

  get serviceNames(): readonly string[] {
    return [...this.#services.keys()];
  }

  get forwardedServices(): readonly ForeignService[] {
    return [...this.#forwarded];
  }

  addService<D extends ServiceDefinition>(definition: D, handlers: ServiceHandlers<D>): void {
    this.#addTyped(definition, handlers, undefined);
  }

  addResourceService<R, D extends ServiceDefinition>(
    definition: D,
    handlers: ResourceHandlers<R, D>,
    resolve: ResourceResolver<R>,
  ): void {
    this.#addTyped(definition, handlers, resolve);
  }

  addForwardedService(service: ForeignService, resolve: ResourceResolver<never>): () => void {
    const routes = service.methods.map((method): Route => ({
      method,
      definition: undefined,
      handler: undefined,
      resolve,
      refusal: undefined,
    }));
    this.#add(service.fullName, routes);
    this.#forwarded.add(service);
    return () => {
      this.#forwarded.delete(service);
      this.#services.delete(service.fullName);
      for (const { method } of routes) {
        this.#routes.delete(method.path);
        this.#routes.delete(aliasPath(method.path));
      }
    };
  }

  /** Forwards every call of a service that is not served here, unary or streaming. */
  forwardOthers(forwarder: Forwarder): void {
    this.#elsewhere = forwarder;
  }

  explainAbsence(service: string, why: string): () => void {
    this.#absences.set(service, why);
    return () => {
      if (this.#absences.get(service) === why) this.#absences.delete(service);
    };
  }

  addInterceptor(interceptor: Interceptor): void {
    this.#interceptors.push(interceptor);
  }

  setScope(scope: CallScope | undefined): void {
    this.#context.scope = scope;
  }

  start(head: CallHead, responder: Responder): RequestSink {
    const route = this.#routes.get(head.path) ?? this.#unknown(head.path);
    const call = new RoutedCall(this.#context, route, head, responder);
    this.#calls.add(call);
    call.begin(
      this.#isDraining
        ? new ArmatureError('server.stopping', 'This server is stopping and takes no more calls; connect again later.')
        : undefined,
    );
    return call;
  }

  async drain(graceMs: number): Promise<void> {
    this.#isDraining = true;
    if (this.#calls.size > 0 && graceMs > 0) {
      const empty = () => new Promise<void>((resolve) => (this.#whenEmpty = resolve));
      await withTimeout(empty, { clock: this.#clock, ms: graceMs, onTimeout: () => undefined });
    }
    for (const call of [...this.#calls]) {
      call.cancelWith(new ArmatureError('server.stopping', 'This server is stopping; the call was ended.'));
    }
    this.#context.deadlines.dispose();
  }

  #addTyped(
    definition: ServiceDefinition,
    handlers: Readonly<Record<string, unknown>>,
    resolve: ResourceResolver<unknown> | undefined,
  ): void {
    const service = canonicalPath(`/${definition.fullName}`).slice(1);
    const routes = Object.entries(definition.methods).map(([key, method]): Route => {
      const handler = handlers[key] as AnyHandler | undefined;
      const described = methodOf(service, method, resolve !== undefined);
      return {
        method: described,
        definition: method,
        handler: handler?.bind(handlers),
        resolve,
        refusal: undefined,
      };
    });
    this.#add(service, routes);
  }

  #add(service: string, routes: readonly Route[]): void {
    if (this.#services.has(service)) {
      throw new ArmatureError('internal.bug', `The service ${service} was added to the router twice.`);
    }
    this.#services.set(
      service,
      routes.map((route) => route.method.name),
    );
    for (const route of routes) {
      this.#routes.set(route.method.path, route);
      this.#routes.set(aliasPath(route.method.path), route);
    }
  }

  #unknown(path: string): Route {
    const canonical = canonicalPath(path);
    const service = canonical.slice(1, Math.max(1, canonical.lastIndexOf('/')));
    const methods = this.#services.get(service);
    if (methods === undefined && this.#elsewhere !== undefined) return forwardedRoute(canonical, this.#elsewhere);
    const hint =
      methods === undefined
        ? (this.#absences.get(service) ?? `no service ${service || '(none named)'} is served here`)
        : `the service is known and has ${methods.join(', ')}`;
    return unknownRoute(canonical, `Unknown method ${path}: ${hint}.`);
  }
}
