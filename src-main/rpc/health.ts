import { AsyncQueue } from '../base/async/async-queue.ts';
import { ArmatureError } from '../base/errors.ts';
import {
  HealthCheckResponse_ServingStatus as Serving,
  type HealthCheckResponse,
  type HealthDefinition,
} from '../../proto/gen/grpc/health/v1/health.ts';
import { namesInBothDialects } from './reflection/reflection.ts';
import type { Router } from './router.ts';
import type { ServiceHandlers } from './service.ts';

/** Whether the program answers calls as it should; its owner knows. */
export interface ReadinessSource {
  readonly isReady: boolean;
  /** Called at every change. Returns a function that forgets the listener. */
  onChange(listener: () => void): () => void;
}

/** Handlers of `grpc.health.v1.Health`: the whole program under '', and each service in both spellings. */
export function healthService(
  router: Pick<Router, 'serviceNames'>,
  readiness: ReadinessSource,
): ServiceHandlers<typeof HealthDefinition> {
  const isKnown = (service: string): boolean =>
    service === '' || namesInBothDialects(router.serviceNames).includes(service);
  const current = (): HealthCheckResponse['status'] => (readiness.isReady ? Serving.SERVING : Serving.NOT_SERVING);
  return {
    check({ service }) {
      if (!isKnown(service)) throw new ArmatureError('call.not_found', `no service "${service}" is served here`);
      return { status: current() };
    },
    async *watch({ service }, call) {
      const statusOf = (): HealthCheckResponse['status'] => (isKnown(service) ? current() : Serving.SERVICE_UNKNOWN);
      const changes = new AsyncQueue<HealthCheckResponse['status']>();
      if (call.signal.aborted) return;
      const unsubscribe = readiness.onChange(() => changes.push(statusOf()));
      call.signal.addEventListener('abort', () => changes.end(), { once: true });
      try {
        let last = statusOf();
        yield { status: last };
        for await (const next of changes) {
          if (next !== last) yield { status: (last = next) };
        }
      } finally {
        unsubscribe();
      }
    },
  };
}
