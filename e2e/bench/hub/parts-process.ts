/**
 * Thousands of simulated parts in one process: each has its own TLS connection and holds the stream that a machine
 * holds, on plain HTTP/2, so that the load costs far less than the hub that it measures.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as http2 from 'node:http2';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ConnectRequest } from '../../../proto/gen/core/hub/v1/part.ts';
import { GetConfigRequest } from '../../../proto/gen/core/hub/v1/part.ts';
import { encodeMessage } from '../../../proto/message.ts';
import { enableKeepalive } from '../../../src-main/rpc/port/tcp-timeouts.ts';
import { endAtExit, endProcess } from '../pinned-process.ts';

export interface Target {
  /** `https://localhost:PORT` */
  readonly url: string;
  /** Certificate to trust, PEM. */
  readonly authority: string;
  readonly token: string;
}

export interface Connected {
  readonly ms: number;
}
/** When the last part had its message, by a clock that all processes share; milliseconds. */
export interface Received {
  readonly at: number;
}
export interface Polled {
  readonly answers: number;
}

type Order =
  | { readonly kind: 'connect'; readonly target: Target; readonly partIds: readonly string[] }
  | { readonly kind: 'await'; readonly messages: number }
  | { readonly kind: 'poll'; readonly everyMs: number; readonly ms: number };

/** Milliseconds of a clock that all processes of a computer share. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Number of connections being established at once. */
const AT_ONCE = 40;
const MAX_ATTEMPTS = 10;
const AGAIN_MS = 1_000;
/** As machines do (`src-main/rpc/peer/grpc-caller.ts`). */
const PING_MS = 240_000;
const CONNECT = '/core.hub.v1.PartService/Connect';
const GET_CONFIG = '/core.hub.v1.PartService/GetConfig';

function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

class Part {
  readonly id: string;
  messages = 0;
  readonly #target: Target;
  readonly #onMessage: () => void;
  #session: http2.ClientHttp2Session | undefined;
  #waiting: Buffer = Buffer.alloc(0);

  constructor(id: string, target: Target, onMessage: () => void) {
    this.id = id;
    this.#target = target;
    this.#onMessage = onMessage;
  }

  /** Resolves with the first message. */
  async connect(): Promise<void> {
    const session = http2.connect(this.#target.url, { ca: this.#target.authority });
    this.#session = session;
    session.once('connect', (_session, socket: Socket) => enableKeepalive(socket));
    const stream = this.#call(session, CONNECT);
    const hello = {
      partId: this.id,
      revision: '',
      ownsConfig: false,
      version: '1',
      platform: 'linux/amd64',
      host: '',
      startedAt: undefined,
    };
    stream.write(framed(encodeMessage(ConnectRequest, { message: { $case: 'hello', value: hello } })));
    await new Promise<void>((resolve, reject) => {
      // Also handles later errors: a lost connection shows in missing messages.
      session.on('error', reject);
      stream.on('error', reject);
      stream.once('end', () => reject(new Error(`the stream of ${this.id} ended`)));
      stream.on('data', (bytes: Buffer) => {
        this.#take(bytes);
        resolve();
      });
    });
  }

  ping(): void {
    // Its hub may have been killed.
    if (this.#session?.destroyed === false) this.#session.ping(() => undefined);
  }

  /** Asks as a part without a stream does; resolves with the answer. */
  async poll(): Promise<void> {
    if (this.#session === undefined) return;
    const stream = this.#call(this.#session, GET_CONFIG);
    stream.end(framed(GetConfigRequest.encode({ partId: this.id, revision: '' }).finish()));
    stream.resume();
    await once(stream, 'end');
  }

  #call(session: http2.ClientHttp2Session, path: string): http2.ClientHttp2Stream {
    return session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: `Bearer ${this.#target.token}`,
    });
  }

  #take(bytes: Buffer): void {
    this.#waiting = this.#waiting.length === 0 ? bytes : Buffer.concat([this.#waiting, bytes]);
    while (this.#waiting.length >= 5) {
      const end = 5 + this.#waiting.readUInt32BE(1);
      if (this.#waiting.length < end) return;
      this.#waiting = this.#waiting.subarray(end);
      this.messages++;
      this.#onMessage();
    }
  }
}

/** Retries as a machine does: on a busy computer a handshake may time out. */
async function connectAgain(part: Part): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await part.connect();
      return;
    } catch (thrown) {
      if (attempt === MAX_ATTEMPTS) throw thrown;
      await pause(AGAIN_MS);
    }
  }
}

/** The process as its parent sees it. */
export class PartsProcess {
  readonly child: ChildProcess;

  /** @param runThrough command that pins it to a processor; empty where `taskset` is missing */
  constructor(runThrough: readonly string[]) {
    const [file = process.execPath, ...before] = [...runThrough, process.execPath];
    this.child = fork(import.meta.filename, ['parts'], {
      execPath: file,
      execArgv: [...before],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    endAtExit(this.child);
  }

  connect(target: Target, partIds: readonly string[]): Promise<Connected> {
    return this.#order<Connected>({ kind: 'connect', target, partIds });
  }

  /** Resolves when each part has this many messages. */
  awaitMessages(messages: number): Promise<Received> {
    return this.#order<Received>({ kind: 'await', messages });
  }

  /** Each part asks for its configuration at this interval, for a given time. */
  poll(everyMs: number, ms: number): Promise<Polled> {
    return this.#order<Polled>({ kind: 'poll', everyMs, ms });
  }

  end(): Promise<void> {
    return endProcess(this.child);
  }

  async #order<T>(order: Order): Promise<T> {
    this.child.send(order);
    const ended = once(this.child, 'exit').then(() => Promise.reject(new Error('the simulated parts ended')));
    ended.catch(() => undefined);
    const [answer] = (await Promise.race([once(this.child, 'message'), ended])) as [T];
    return answer;
  }
}

async function runParts(): Promise<void> {
  const parts: Part[] = [];
  let lastAt = 0;
  let look: () => void = () => undefined;
  const onMessage = (): void => {
    lastAt = sharedNow();
    look();
  };

  const connect = async (target: Target, partIds: readonly string[]): Promise<Connected> => {
    const startedAt = sharedNow();
    const waiting = partIds.map((id) => new Part(id, target, onMessage));
    parts.push(...waiting);
    const next = async (): Promise<void> => {
      for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) await connectAgain(part);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    let index = 0;
    // Spread evenly over the whole interval, as for machines that were started at any time.
    setInterval(() => parts[index++ % parts.length]?.ping(), PING_MS / partIds.length);
    return { ms: sharedNow() - startedAt };
  };
  const awaitMessages = (messages: number): Promise<Received> =>
    new Promise((resolve) => {
      look = () => {
        if (!parts.every((part) => part.messages >= messages)) return;
        look = () => undefined;
        resolve({ at: lastAt });
      };
      look();
    });
  const poll = async (everyMs: number, ms: number): Promise<Polled> => {
    let answers = 0;
    let index = 0;
    const under: Promise<void>[] = [];
    const startedAt = sharedNow();
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const elapsed = sharedNow() - startedAt;
        const due = Math.floor((elapsed / everyMs) * parts.length);
        while (index < due) under.push((parts[index++ % parts.length] as Part).poll().then(() => void answers++));
        if (elapsed < ms) return;
        clearInterval(timer);
        resolve();
      }, 5);
    });
    await Promise.all(under);
    return { answers };
  };

  process.on('disconnect', () => process.exit());
  process.on('message', (order: Order) => {
    const work =
      order.kind === 'connect'
        ? connect(order.target, order.partIds)
        : order.kind === 'await'
          ? awaitMessages(order.messages)
          : poll(order.everyMs, order.ms);
    void work.then((answer) => process.send?.(answer));
  });
  await once(process, 'disconnect');
}

if (import.meta.main && process.argv[2] === 'parts') await runParts();
