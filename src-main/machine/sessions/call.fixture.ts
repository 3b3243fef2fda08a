import { methodTraits } from '../../../proto/method-traits.ts';
import { Emitter } from '../../base/async/emitter.ts';
import type { Connection, ServerCall, TransportKind } from '../../rpc/call.ts';
import type { Method } from '../../rpc/method.ts';

/** A connection that a test closes by hand. */
export class ConnectionFixture implements Connection {
  readonly id: string;
  readonly transport: TransportKind;
  readonly remoteAddress: string;
  readonly localAddress = '127.0.0.1:8080';
  readonly isLoopback = true;
  readonly isEncrypted = false;
  readonly outlivesCalls: boolean;
  isClosed = false;
  readonly listeners = new Emitter();

  constructor(id: string, outlivesCalls = true, transport: TransportKind = outlivesCalls ? 'grpc' : 'grpc-web') {
    this.id = id;
    this.remoteAddress = `127.0.0.1:${id}`;
    this.outlivesCalls = outlivesCalls;
    this.transport = transport;
  }

  onClose(listener: () => void): () => void {
    return this.listeners.on(listener);
  }

  close(): void {
    this.isClosed = true;
    this.listeners.emit();
  }
}

export function methodFixture(path: string, overrides: Partial<Method> = {}): Method {
  const [, service = '', name = ''] = path.split('/');
  return {
    path,
    service,
    name,
    requestStream: false,
    responseStream: false,
    traits: methodTraits(service, name),
    hasResource: true,
    requestType: undefined,
    answerShape: undefined,
    ...overrides,
  };
}

export const setPower = methodFixture('/core.component.motor.v1.MotorService/SetPower');
export const isMoving = methodFixture('/core.component.motor.v1.MotorService/IsMoving');
export const moveServo = methodFixture('/core.component.servo.v1.ServoService/Move');
export const setGpio = methodFixture('/core.component.board.v1.BoardService/SetGPIO');
export const setPwm = methodFixture('/core.component.board.v1.BoardService/SetPWM');
export const writeAnalog = methodFixture('/core.component.board.v1.BoardService/WriteAnalog');

/** The parts of a call that an interceptor can read and set; records what it did. */
export interface CallFixture extends ServerCall {
  readonly headers: Record<string, string>;
  readonly cancelReasons: unknown[];
}

export function callFixture(
  method: Method,
  resourceName: string,
  overrides: Partial<Omit<ServerCall, 'method' | 'resourceName'>> & { readonly request?: unknown } = {},
): CallFixture {
  const { request = {}, ...rest } = overrides;
  const headers: Record<string, string> = {};
  const cancelReasons: unknown[] = [];
  const abort = new AbortController();
  return {
    method,
    dialect: 'viam',
    metadata: {},
    connection: new ConnectionFixture('1'),
    startedAt: 0,
    resourceName,
    deadline: undefined,
    limitDeadline: () => undefined,
    signal: abort.signal,
    get isCancelled() {
      return abort.signal.aborted;
    },
    cancel(reason) {
      cancelReasons.push(reason);
      abort.abort(reason);
    },
    setHeader(key, value) {
      headers[key] = value;
    },
    trailers: {},
    principal: { kind: 'loopback', entity: 'loopback' },
    sessionId: undefined,
    operationId: undefined,
    requestAsJson: () => request,
    headers,
    cancelReasons,
    ...rest,
  };
}
