import { Request, Response, type RequestHeaders } from '../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';
import type { LinkPipe } from './pipe.ts';

/** One call as the machine's end of a fake pipe sees it, for tests. */
export interface FakeCall {
  readonly id: bigint;
  readonly head: RequestHeaders;
  readonly packets: { readonly data: Uint8Array; readonly eom: boolean }[];
  hasEnded: boolean;
  wasReset: boolean;
}

/** A pipe and its far end: records the calls and answers them as the test wants. */
export class FakeMachine implements LinkPipe {
  onMessage: (bytes: Uint8Array) => void = () => undefined;
  onDrain: () => void = () => undefined;
  onClose: (reason: string) => void = () => undefined;
  readonly calls: FakeCall[] = [];
  /** Stream ids of all frames, in the order they were sent. */
  readonly order: bigint[] = [];
  isClosed = false;
  buffered = 0;
  holdsBack = false;
  /** Called for each complete request message. */
  onCall: (call: FakeCall) => void = () => undefined;

  send(bytes: Uint8Array): void {
    if (this.holdsBack) this.buffered += bytes.length;
    const { stream, type } = Request.decode(bytes);
    const id = stream?.id ?? -1n;
    this.order.push(id);
    if (type?.$case === 'headers') {
      this.calls.push({ id, head: type.value, packets: [], hasEnded: false, wasReset: false });
      return;
    }
    const call = this.calls.find((each) => each.id === id);
    if (call === undefined) return;
    if (type?.$case === 'rstStream') call.wasReset = true;
    if (type?.$case !== 'message') return;
    if (type.value.eos) call.hasEnded = true;
    if (!type.value.hasMessage || type.value.packetMessage === undefined) return;
    call.packets.push(type.value.packetMessage);
    if (type.value.packetMessage.eom) this.onCall(call);
  }

  bufferedBytes(): number {
    return this.buffered;
  }

  close(reason = 'closed'): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.onClose(reason);
  }

  drain(): void {
    this.buffered = 0;
    this.onDrain();
  }

  message(id: bigint, data: Uint8Array, eom = true): void {
    this.#reply(id, { $case: 'message', value: { packetMessage: { data, eom } } });
  }

  end(id: bigint, code = 0, message = ''): void {
    const metadata = { md: { 'x-reason': { values: ['a'] } } };
    this.#reply(id, { $case: 'trailers', value: { status: { code, message, details: [] }, metadata } });
  }

  /** A whole answer to a unary call. */
  answer(id: bigint, data: Uint8Array): void {
    this.#reply(id, { $case: 'headers', value: { metadata: undefined } });
    this.message(id, data);
    this.end(id);
  }

  #reply(id: bigint, type: Response['type']): void {
    this.onMessage(Response.encode({ stream: { id }, type }).finish());
  }
}

/** Lets pending promise callbacks run. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 30; i++) await Promise.resolve();
}
