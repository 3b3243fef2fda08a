import { ArmatureError } from '../../base/errors.ts';
import type { ServerCall } from '../call.ts';
import type { ServiceDefinition, ServiceHandlers } from '../service.ts';

type AnyHandler = (request: unknown, call: ServerCall) => unknown;
type AnyHandlers = Readonly<Record<string, AnyHandler | undefined>>;

/** Chooses the handlers for one call by its request. A rejected promise refuses the call. */
export type ChooseHandlers<D extends ServiceDefinition> = (
  request: unknown,
  call: ServerCall,
) => ServiceHandlers<D> | Promise<ServiceHandlers<D>>;

/**
 * A service whose handlers are chosen for each call: a service that is still starting, or several with the same
 * definition. A method that the chosen one does not have answers Unimplemented.
 */
export function chosenService<D extends ServiceDefinition>(
  definition: D,
  choose: ChooseHandlers<D>,
): ServiceHandlers<D> {
  const entries = Object.entries(definition.methods).map(([key, { responseStream, name }]) => {
    const handlerOf = (handlers: ServiceHandlers<D>): AnyHandler => {
      const handler = (handlers as AnyHandlers)[key];
      if (handler !== undefined) return handler.bind(handlers);
      throw new ArmatureError(
        'call.unimplemented',
        `/${definition.fullName}/${name} is known but not implemented here.`,
      );
    };
    const unary: AnyHandler = (request, call) => {
      const chosen = choose(request, call);
      return chosen instanceof Promise
        ? chosen.then((handlers) => handlerOf(handlers)(request, call))
        : handlerOf(chosen)(request, call);
    };
    async function* streamed(request: unknown, call: ServerCall): AsyncGenerator {
      yield* handlerOf(await choose(request, call))(request, call) as AsyncIterable<unknown>;
    }
    return [key, responseStream ? streamed : unary];
  });
  return Object.fromEntries(entries) as ServiceHandlers<D>;
}
