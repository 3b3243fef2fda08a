import {
  status,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import { Refusal, unary } from './wire.ts';

interface Named {
  readonly name: string;
}

interface AddRequest extends Named {
  readonly amount: number;
}

interface WatchRequest extends Named {
  readonly count: number;
  readonly interval_ms: number;
}

interface Count {
  readonly value: number;
}

/** The counting instance of `acme:service:counter`. */
export class Counter {
  value: number;
  givenUp = 0;
  #running: ReturnType<typeof setInterval> | undefined;

  constructor(start: number) {
    this.value = start;
  }

  get isMoving(): boolean {
    return this.#running !== undefined;
  }

  run(): void {
    this.#running ??= setInterval(() => (this.value += 1), 10);
  }

  stop(): void {
    clearInterval(this.#running);
    this.#running = undefined;
  }
}

/** Serves CounterService for the instances that `find` returns; it throws where there is none. */
export function counterService(find: (name: string) => Counter) {
  const failed = (thrown: unknown): { code: status; details: string } => ({
    code: thrown instanceof Refusal ? thrown.code : status.UNKNOWN,
    details: String(thrown instanceof Error ? thrown.message : thrown),
  });
  return {
    Add: unary<AddRequest, Count>(({ name, amount }) => ({ value: (find(name).value += amount) })),
    Run: unary<Named, Count>(({ name }) => {
      find(name).run();
      return { value: find(name).value };
    }),
    Stop: unary<Named, Count>(({ name }) => {
      find(name).stop();
      return { value: find(name).value };
    }),
    IsMoving: unary<Named, { is_moving: boolean }>(({ name }) => ({ is_moving: find(name).isMoving })),
    Wait: (call: ServerUnaryCall<Named, Count>, done: sendUnaryData<Count>) => {
      const counter = find(call.request.name);
      call.on('cancelled', () => {
        counter.givenUp += 1;
        done(null, { value: counter.value });
      });
    },
    Inspect: unary<Named, object>(({ name }, call) => {
      const deadline = call.getDeadline();
      return {
        metadata: Object.fromEntries(Object.entries(call.metadata.getMap()).map(([key, value]) => [key, shown(value)])),
        remaining_ms: deadline instanceof Date || deadline !== Infinity ? Math.round(Number(deadline) - Date.now()) : 0,
        given_up: find(name).givenUp,
        pid: process.pid,
      };
    }),
    Fail: unary<Named & { code: number; message: string }, Count>(({ code, message }) => {
      throw new Refusal(code, message);
    }),
    Watch: (call: ServerWritableStream<WatchRequest, Count>) => {
      const { name, count, interval_ms: intervalMs } = call.request;
      let counter: Counter;
      try {
        counter = find(name);
      } catch (thrown) {
        call.emit('error', failed(thrown));
        return;
      }
      let sent = 0;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const next = (): void => {
        if (call.cancelled) return;
        if (count > 0 && sent >= count) {
          call.end();
          return;
        }
        sent += 1;
        const isRoom = call.write({ value: counter.value });
        if (!isRoom) call.once('drain', next);
        else if (intervalMs === 0) setImmediate(next);
        else timer = setTimeout(next, intervalMs);
      };
      call.on('cancelled', () => {
        counter.givenUp += 1;
        clearTimeout(timer);
      });
      next();
    },
    AddAll: (call: ServerReadableStream<AddRequest, Count>, done: sendUnaryData<Count>) => {
      let counter: Counter | undefined;
      call.on('data', ({ name, amount }: AddRequest) => {
        counter ??= find(name);
        counter.value += amount;
      });
      call.on('end', () => done(null, { value: counter?.value ?? 0 }));
    },
    AddEach: (call: ServerDuplexStream<AddRequest, Count>) => {
      call.on('data', ({ name, amount }: AddRequest) => {
        try {
          const counter = find(name);
          counter.value += amount;
          call.write({ value: counter.value });
        } catch (thrown) {
          call.emit('error', failed(thrown));
        }
      });
      call.on('end', () => call.end());
    },
  };
}

/** Binary metadata in hexadecimal. */
function shown(value: string | Buffer): string {
  return typeof value === 'string' ? value : value.toString('hex');
}
