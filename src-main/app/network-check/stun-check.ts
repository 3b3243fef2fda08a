import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { onAbort } from '../../base/async/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { showHostAndPort, type HostAndPort } from '../../base/server-address.ts';
import { failed, note, ok, type Check, type Outcome } from './check.ts';
import {
  bindingRequest,
  messageLength,
  readBindingAnswer,
  TRANSACTION_ID_BYTES,
  transactionOf,
  type BindingAnswer,
} from './stun-message.ts';

/** First wait for an answer over UDP; each next one is twice as long (RFC 8489, section 6.2.1). */
const FIRST_RETRY_MS = 500;

type Mapped = Extract<BindingAnswer, { readonly kind: 'mapped' }>;

/** What a STUN server saw of the one port that all of them are asked from. */
export interface Mapping {
  readonly server: string;
  readonly mapped: HostAndPort;
  /** The port of this computer that was asked from. */
  readonly localPort: number;
}

/**
 * Asks STUN servers over UDP, all from one port: only then the answers of two of them say how addresses are translated on
 * the way.
 */
export class UdpStun {
  readonly #clock: Clock;
  readonly #sockets = new Map<4 | 6, Promise<Socket>>();
  readonly #waiting = new Map<string, (message: Buffer) => void>();
  readonly mappings: Mapping[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  check(server: HostAndPort): Check {
    const target = showHostAndPort(server);
    return {
      area: 'STUN over UDP',
      target,
      run: async (signal) => {
        const { address, family } = await lookup(server.host);
        const socket = await this.#socket(family === 6 ? 6 : 4);
        const answer = await this.#ask(socket, { host: address, port: server.port }, signal);
        if (answer.kind === 'refused') return refusal(answer);
        const mapped = { host: answer.address, port: answer.port };
        this.mappings.push({ server: target, mapped, localPort: socket.address().port });
        return ok(sees(answer));
      },
    };
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#sockets.values());
    for (const one of opened) if (one.status === 'fulfilled') one.value.close();
    this.#sockets.clear();
  }

  #socket(family: 4 | 6): Promise<Socket> {
    const known = this.#sockets.get(family);
    if (known !== undefined) return known;
    const opening = new Promise<Socket>((resolve, reject) => {
      const socket = createSocket(`udp${family}`);
      socket.once('error', reject);
      socket.bind(0, () => {
        // A datagram that cannot be sent is reported by `send`.
        socket.removeListener('error', reject).on('error', () => undefined);
        socket.on('message', (message) => this.#waiting.get(transactionOf(message) ?? '')?.(message));
        resolve(socket);
      });
    });
    this.#sockets.set(family, opening);
    return opening;
  }

  #ask(socket: Socket, { host, port }: HostAndPort, signal: AbortSignal): Promise<BindingAnswer> {
    signal.throwIfAborted();
    const transaction = randomBytes(TRANSACTION_ID_BYTES);
    const key = transaction.toString('hex');
    return new Promise<BindingAnswer>((resolve, reject) => {
      let waitMs = FIRST_RETRY_MS;
      let timer = this.#clock.after(waitMs, () => send());
      let isDamaged = false;
      const end = (settle: () => void): void => {
        timer.cancel();
        unsubscribe();
        this.#waiting.delete(key);
        settle();
      };
      const send = (): void => {
        timer.cancel();
        socket.send(bindingRequest(transaction), port, host, (thrown) => {
          if (thrown !== null) end(() => reject(thrown));
        });
        timer = this.#clock.after(waitMs, send);
        waitMs *= 2;
      };
      const unsubscribe = onAbort(signal, () =>
        end(() => reject(new Error(isDamaged ? 'answers, but says no address' : 'no answer'))),
      );
      this.#waiting.set(key, (message) => {
        const answer = readBindingAnswer(message);
        if (answer === undefined) isDamaged = true;
        else end(() => resolve(answer));
      });
      send();
    });
  }
}

/** Whether a STUN server answers over TCP. */
export function tcpStunCheck(server: HostAndPort): Check {
  return {
    area: 'STUN over TCP',
    target: showHostAndPort(server),
    async run(signal) {
      const answer = await askOverTcp(server, signal);
      return answer.kind === 'refused' ? refusal(answer) : ok(sees(answer));
    },
  };
}

function askOverTcp({ host, port }: HostAndPort, signal: AbortSignal): Promise<BindingAnswer> {
  const transaction = randomBytes(TRANSACTION_ID_BYTES);
  const socket = connect({ host, port });
  return new Promise<BindingAnswer>((resolve, reject) => {
    let received = Buffer.alloc(0);
    const end = (settle: () => void): void => {
      unsubscribe();
      socket.destroy();
      settle();
    };
    const unsubscribe = onAbort(signal, () =>
      end(() => reject(new Error(socket.connecting ? 'no connection' : 'connected, and no answer'))),
    );
    socket.on('error', (thrown) => end(() => reject(thrown)));
    socket.on('close', () => end(() => reject(new Error('the server closed the connection without an answer'))));
    socket.on('connect', () => socket.write(bindingRequest(transaction)));
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      const length = messageLength(received);
      if (length === undefined || (length !== 'not-stun' && received.length < length)) return;
      const message = length === 'not-stun' ? Buffer.alloc(0) : received.subarray(0, length);
      const isOurs = transactionOf(message) === transaction.toString('hex');
      const answer = isOurs ? readBindingAnswer(message) : undefined;
      if (answer === undefined) end(() => reject(new Error('what answers there is no STUN server')));
      else end(() => resolve(answer));
    });
  });
}

function sees({ address, port }: Mapped): string {
  return `sees this computer as ${showHostAndPort({ host: address, port })}`;
}

function refusal({ code, reason }: Extract<BindingAnswer, { readonly kind: 'refused' }>): Outcome {
  return failed(`refuses: ${code} ${reason}`.trimEnd(), 'Use a STUN server that answers without credentials.');
}

/**
 * How addresses are translated on the way, from what STUN servers saw of one port (RFC 5780, section 4.3). Undefined
 * where too few answered to tell.
 * @param own addresses of this computer
 */
export function natOutcome(mappings: readonly Mapping[], own: ReadonlySet<string>): Outcome | undefined {
  const translated = mappings.filter(({ mapped, localPort }) => !own.has(mapped.host) || mapped.port !== localPort);
  if (mappings.length > 0 && translated.length === 0) return ok('none: servers see an address of this computer itself');
  const byFamily = Map.groupBy(translated, ({ mapped }) => mapped.host.includes(':'));
  const several = [...byFamily.values()].find((group) => group.length > 1);
  if (several === undefined) return undefined;
  const seen = new Set(several.map(({ mapped }) => showHostAndPort(mapped)));
  if (seen.size === 1) return ok('one address for all servers: direct connections from outside are likely to work');
  return note(
    `another address for each server (${[...seen].join(', ')})`,
    'Direct connections over WebRTC are unlikely to work from outside: use the address of the machine, or its hub.',
  );
}
