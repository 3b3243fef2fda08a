import { create, toBinary, type DescMessage, type DescMethod } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { Status } from '../../src-main/base/status.ts';
import { servicesOf } from './reflected-client.ts';

/** A stream that is still open after this time was accepted. */
const OPEN_MS = 4_000;
/** A new connection is made after so many calls: the server closes an unauthenticated one after 32 refused calls. */
const CALLS_PER_CONNECTION = 16;

/** A method that a server lists by reflection. */
export interface ServedMethod {
  readonly service: string;
  readonly name: string;
  readonly path: string;
  /** Encodes a request with those of the values that it has fields for. */
  readonly request: (values: Readonly<Record<string, unknown>>) => Uint8Array;
}

/** Calls every method of a server to find out which ones a caller may use. */
export class MethodProbe {
  readonly #connect: () => Client;
  readonly #isUnauthenticated: boolean;
  readonly #clients: [Client, ...Client[]];
  readonly #metadata = new Metadata();
  #calls = 0;

  /**
   * @param token undefined: calls without credentials
   * @param host name of the machine that signaling is asked for
   */
  constructor(url: string, token: string | undefined, authority?: string, host?: string) {
    const channel =
      authority === undefined ? credentials.createInsecure() : credentials.createSsl(Buffer.from(authority));
    this.#connect = () => new Client(url.replace(/^https?:\/\//, ''), channel, { 'grpc.use_local_subchannel_pool': 1 });
    this.#clients = [this.#connect()];
    this.#isUnauthenticated = token === undefined;
    if (token !== undefined) this.#metadata.set('authorization', `Bearer ${token}`);
    if (host !== undefined) this.#metadata.set('rpc-host', host);
  }

  /** Every method of every registered service, under its own names. */
  async methods(): Promise<readonly ServedMethod[]> {
    const services = await servicesOf(this.#clients[0], this.#metadata);
    return services
      .filter(({ service }) => !service.startsWith('viam.'))
      .flatMap(({ service, methods }) => methods.map((method) => servedMethod(service, method)));
  }

  /** Status of a call; OK as soon as there is an answer. */
  probe(path: string, bytes: Uint8Array): Promise<Status> {
    if (this.#isUnauthenticated && ++this.#calls % CALLS_PER_CONNECTION === 0) this.#clients.unshift(this.#connect());
    const [client] = this.#clients;
    return new Promise((resolve) => {
      const same = (message: Buffer): Buffer => message;
      const call = client.makeBidiStreamRequest(path, same, same, this.#metadata, {
        deadline: Date.now() + OPEN_MS,
      });
      call.on('data', () => {
        resolve({ code: 0, message: '' });
        call.cancel();
      });
      call.on('error', () => undefined); // the status has the error
      call.on('status', ({ code, details }) => resolve({ code, message: details }));
      call.write(Buffer.from(bytes));
      call.end();
    });
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}

function servedMethod(service: string, { name, input }: DescMethod): ServedMethod {
  return { service, name, path: `/${service}/${name}`, request: (values) => encoded(input, values) };
}

function encoded(input: DescMessage, values: Readonly<Record<string, unknown>>): Uint8Array {
  const own = Object.entries(values).filter(([key]) => input.fields.some((field) => field.localName === key));
  return toBinary(input, create(input, Object.fromEntries(own)));
}
