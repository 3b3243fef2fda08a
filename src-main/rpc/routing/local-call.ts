import { ArmatureError } from '../../base/errors.ts';
import { StatusCode, type Status } from '../../base/status.ts';
import type { Connection } from '../call.ts';
import type { Router } from '../router.ts';

/** A call made by this program to itself ended with a status other than OK. */
export class LocalCallError extends Error {
  readonly status: Status;

  constructor(status: Status) {
    super(status.message);
    this.name = 'LocalCallError';
    this.status = status;
  }
}

/** A connection for calls made inside this process: it never closes and its caller is trusted. */
export function localConnection(id: string): Connection {
  return {
    id,
    transport: 'local',
    remoteAddress: 'local',
    localAddress: 'local',
    isLoopback: true,
    isEncrypted: true,
    outlivesCalls: true,
    isClosed: false,
    onClose: () => () => undefined,
  };
}

/**
 * Makes one unary call through the router, as bytes. Passes every interceptor,
 * so that a call of ours is counted, limited and logged like any other.
 * @throws {LocalCallError} with the status of the call
 */
export function callLocally(
  router: Router,
  connection: Connection,
  path: string,
  request: Uint8Array,
  timeoutMs: number,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let answer: Uint8Array | undefined;
    const sink = router.start(
      { path, metadata: {}, timeoutMs, connection },
      {
        headers: () => undefined,
        message: (bytes) => {
          answer = bytes;
          return undefined;
        },
        end: (status) => {
          if (status.code !== StatusCode.OK) reject(new LocalCallError(status));
          else if (answer === undefined)
            reject(new ArmatureError('internal.bug', `${path} succeeded without an answer.`));
          else resolve(answer);
        },
      },
    );
    void sink.message(request);
    sink.halfClose();
  });
}
