import type { CallSpec, Channel } from './channel.ts';
import { encodeRequestEnd, encodeRequestHeaders, encodeReset } from '../../proto/channel/request-frames.ts';
import { Response, type ResponseTrailers } from '../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';
import { PacketSender } from './packet-sender.ts';
import type { LinkPipe } from './pipe.ts';
import { ResponseQueue } from './response-queue.ts';
import { RpcError } from './rpc-error.ts';
import { StatusCode } from '../../proto/status-code.ts';

/** Carries many calls over one pipe, until the pipe is closed. */
export class PipeChannel implements Channel {
  readonly #pipe: LinkPipe;
  readonly #sender: PacketSender;
  readonly #calls = new Map<bigint, ResponseQueue>();
  #nextId = 1n;
  #lostReason: string | undefined;

  /** @param onLost called once when the pipe is closed, after its calls failed */
  constructor(pipe: LinkPipe, onLost: (reason: string) => void) {
    this.#pipe = pipe;
    this.#sender = new PacketSender(pipe);
    pipe.onMessage = (bytes) => this.#receive(bytes);
    pipe.onClose = (reason) => {
      this.#lostReason = reason;
      for (const [id, responses] of this.#calls) {
        this.#sender.drop(id);
        responses.end(new RpcError(StatusCode.UNAVAILABLE, `the connection to the machine was lost: ${reason}`));
      }
      this.#calls.clear();
      onLost(reason);
    };
  }

  get callsUnderWay(): number {
    return this.#calls.size;
  }

  close(reason: string): void {
    this.#pipe.close(reason);
  }

  async *call({ path, requests, options }: CallSpec): AsyncGenerator<Uint8Array> {
    const { signal, timeoutMs, metadata } = options;
    if (signal?.aborted === true) throw cancelled(signal);
    if (this.#lostReason !== undefined)
      throw new RpcError(StatusCode.UNAVAILABLE, `not connected: ${this.#lostReason}`);
    const id = this.#nextId++;
    const responses = new ResponseQueue();
    this.#calls.set(id, responses);
    const giveUp = (error: RpcError): void => this.#giveUp(id, error);
    const onAbort = (): void => giveUp(cancelled(signal));
    signal?.addEventListener('abort', onAbort);
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            const message = `the machine did not answer within ${timeoutMs / 1_000} s`;
            giveUp(new RpcError(StatusCode.DEADLINE_EXCEEDED, message));
          }, timeoutMs);
    try {
      this.#pipe.send(encodeRequestHeaders(id, { path, metadata: metadata ?? {}, timeoutMs }));
      void this.#sendAll(id, requests);
      for (;;) {
        const message = await responses.next();
        if (message === undefined) return;
        yield message;
      }
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      giveUp(new RpcError(StatusCode.CANCELLED, 'the page stopped reading'));
    }
  }

  async #sendAll(id: bigint, requests: CallSpec['requests']): Promise<void> {
    if (!(Symbol.asyncIterator in requests)) {
      await this.#sender.send(id, requests[0]);
      return;
    }
    try {
      for await (const request of requests) {
        if (!this.#calls.has(id)) return;
        await this.#sender.send(id, request);
      }
      if (this.#calls.has(id)) this.#pipe.send(encodeRequestEnd(id));
    } catch (thrown) {
      // The caller's requests failed: the call fails with the same message.
      this.#giveUp(id, new RpcError(StatusCode.CANCELLED, thrown instanceof Error ? thrown.message : String(thrown)));
    }
  }

  /** Cancels a call; does nothing if it has ended. */
  #giveUp(id: bigint, error: RpcError): void {
    const responses = this.#calls.get(id);
    if (responses === undefined) return;
    this.#calls.delete(id);
    this.#sender.drop(id);
    this.#pipe.send(encodeReset(id));
    responses.end(error);
  }

  #receive(bytes: Uint8Array): void {
    let frame: Response;
    try {
      frame = Response.decode(bytes);
    } catch {
      // Not our protocol: nothing that follows can be trusted. Closing the pipe fails its calls.
      this.#pipe.close('the machine sent bytes that are no frame');
      return;
    }
    const id = frame.stream?.id;
    const responses = id === undefined ? undefined : this.#calls.get(id);
    if (id === undefined || responses === undefined) return;
    if (frame.type?.$case === 'message' && frame.type.value.packetMessage !== undefined) {
      const { data, eom } = frame.type.value.packetMessage;
      try {
        responses.packet(data, eom);
      } catch (thrown) {
        this.#giveUp(id, thrown as RpcError);
      }
    } else if (frame.type?.$case === 'trailers') {
      this.#calls.delete(id);
      this.#sender.drop(id);
      const { status } = frame.type.value;
      const isOk = status === undefined || status.code === StatusCode.OK;
      responses.end(isOk ? undefined : new RpcError(status.code, status.message, trailersOf(frame.type.value)));
    }
  }
}

function cancelled(signal: AbortSignal | undefined): RpcError {
  const reason: unknown = signal?.reason;
  return new RpcError(StatusCode.CANCELLED, reason instanceof Error ? reason.message : 'the call was cancelled');
}

function trailersOf(trailers: ResponseTrailers): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(trailers.metadata?.md ?? {}).map(([key, { values }]) => [key, values]));
}
