import type { Board } from '../apis/board/types.ts';
import type { ResourceGraph } from './graph/resource-graph.ts';
import type { StoppableActuator } from './operations/stop-all.ts';
import { describeTarget, type PinTarget } from './sessions/output-claims.ts';
import type { SessionRegistry } from './sessions/session-registry.ts';

/** The outputs of a machine that move or are driven, and how they are stopped. */
export class MachineOutputs {
  readonly #graph: ResourceGraph;
  readonly #sessions: () => SessionRegistry;

  constructor(graph: ResourceGraph, sessions: () => SessionRegistry) {
    this.#graph = graph;
    this.#sessions = sessions;
  }

  *actuators(): Iterable<StoppableActuator> {
    for (const { fullName, actuator } of this.#graph.actuators()) {
      // A module drives its own, and their commands end when their calls are cancelled.
      const endsItsCommands = !('forwarder' in actuator);
      yield { fullName, endsItsCommands, stop: (options) => actuator.stop(options) };
    }
  }

  /** Pins that callers drive directly. */
  *drivenPins(): Iterable<StoppableActuator> {
    const sessions = this.#sessions();
    for (const pin of sessions.drivenPins) {
      const stop = async (): Promise<void> => {
        await this.makePinSafe(pin);
        sessions.forgetDriven(pin);
      };
      yield { fullName: describeTarget(pin), stop };
    }
  }

  /** @param resource full name */
  async stopResource(resource: string, signal: AbortSignal): Promise<void> {
    for (const { fullName, actuator } of this.#graph.actuators()) {
      if (fullName === resource) return actuator.stop({ signal });
    }
  }

  /** Whether a pin is made safe when its caller leaves. */
  isPinHeld({ board, pin }: PinTarget): boolean {
    return this.#boardOf(board)?.holdsPin?.(pin) === true;
  }

  async makePinSafe({ board, pin, drivenAs }: PinTarget): Promise<void> {
    // None for a board that cannot be called: it is closed or closing, and makes its own outputs safe then.
    const resource = this.#boardOf(board);
    if (resource === undefined) return;
    if (drivenAs === 'analog') await resource.writeAnalog(pin, 0);
    else await (resource.gpioPin(pin).makeSafe?.() ?? resource.gpioPin(pin).set(false));
  }

  #boardOf(fullName: string): Board | undefined {
    return this.#graph.resourceOf(fullName) as Board | undefined;
  }
}
