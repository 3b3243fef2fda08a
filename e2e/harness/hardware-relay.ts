import type { Page } from '@playwright/test';
import { DiscoverResponse } from '../../proto/gen/core/hardware/v1/hardware.ts';
import { Request, Response } from '../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';

const discoverMethod = '/core.hardware.v1.HardwareService/Discover';
const unavailable = 14;

/**
 * A relay between a page and its machine that answers questions about the computer: no computer that runs tests has all
 * the hardware that a page must be able to show.
 */
export class HardwareRelay {
  /** The answer that the page gets; a text is an error message. */
  answer: Partial<DiscoverResponse> | string = {};
  /** How many questions were asked. */
  asked = 0;

  /** Starts to relay. Call it before the page is opened. */
  static async on(page: Page): Promise<HardwareRelay> {
    const relay = new HardwareRelay();
    await page.routeWebSocket(/\/channel$/, (socket) => {
      const server = socket.connectToServer();
      const streams = new Set<bigint>();
      socket.onMessage((message) => {
        if (typeof message !== 'string') {
          const { stream, type } = Request.decode(message);
          if (type?.$case === 'headers' && type.value.method === discoverMethod) streams.add(stream?.id ?? -1n);
        }
        server.send(message);
      });
      server.onMessage((message) => {
        const id = typeof message === 'string' ? undefined : Response.decode(message).stream?.id;
        if (id === undefined || !streams.has(id)) socket.send(message);
        else if (Response.decode(message as Buffer).type?.$case === 'trailers') {
          // Headers and messages of the machine's own answer are dropped.
          for (const part of relay.#answers(id)) socket.send(part);
          streams.delete(id);
        }
      });
    });
    return relay;
  }

  #answers(id: bigint): Buffer[] {
    this.asked += 1;
    const frame = (type: Response['type']): Buffer => Buffer.from(Response.encode({ stream: { id }, type }).finish());
    const headers = frame({ $case: 'headers', value: { metadata: undefined } });
    const ended = (code: number, message: string): Buffer =>
      frame({ $case: 'trailers', value: { status: { code, message, details: [] }, metadata: undefined } });
    if (typeof this.answer === 'string') return [headers, ended(unavailable, this.answer)];
    const data = DiscoverResponse.encode(DiscoverResponse.fromPartial(this.answer)).finish();
    return [headers, frame({ $case: 'message', value: { packetMessage: { data, eom: true } } }), ended(0, '')];
  }
}
