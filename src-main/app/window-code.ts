import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sleep, type Clock } from '../base/clock.ts';
import { sha256 } from '../rpc/access/access-policy.ts';
import type { RefusalLog } from '../rpc/access/refusals.ts';
import { answerText } from '../rpc/port/http-routes.ts';
import { isLoopbackAddress } from '../rpc/tracked-connection.ts';
import { ownerOf } from './connection-owner.ts';

/** Where the window that is opened with the program begins: `/window?code=...`. */
export const WINDOW_PATH = '/window';

export interface WindowCodeOptions {
  /** Undefined: no window is opened. */
  readonly code: string | undefined;
  readonly launchToken: string;
  readonly clock: Clock;
  readonly refusals: RefusalLog;
}

/** A browser on a slow computer needs half of it to start. */
const GOOD_FOR_MS = 60_000;
/** Delay of the answer to a wrong code. */
const SLOWED_MS = 1_000;
/** Wrong codes that wait for their answer; more are answered at once. */
const MAX_SLOWED = 16;
const WHAT = 'the first address of a window';

/**
 * Redirects the first window to the page, with the launch token in the fragment of its address. The browser is started
 * with arguments, which every user of the computer can read; therefore they have a code instead, which is valid once,
 * for a minute, and only for a browser of the user that this program runs as (if the system can tell whose a
 * connection is). Host and Origin have been checked before.
 */
export class WindowCode {
  readonly #options: WindowCodeOptions;
  readonly #goodUntil: number;
  #digest: Uint8Array | undefined;
  #slowed = 0;

  /** The code is valid from now on. */
  constructor(options: WindowCodeOptions) {
    this.#options = options;
    this.#goodUntil = options.clock.monotonic() + GOOD_FOR_MS;
    this.#digest = options.code === undefined ? undefined : sha256(options.code);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET') {
      answerText(request, response, 405, 'Open this by GET.\n');
      return;
    }
    if (await this.#accepts(request)) {
      request.resume();
      response.writeHead(303, {
        location: `/#token=${this.#options.launchToken}`,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-length': 0,
      });
      response.end();
      return;
    }
    this.#options.refusals.record(
      'bad-token',
      request.socket.remoteAddress ?? '',
      WHAT,
      'its code was used, is too old, or is of another user',
    );
    await this.#slowDown();
    const advice = 'Open the address that the program printed.';
    answerText(request, response, 403, `This code was used already, is too old, or is somebody else's. ${advice}\n`);
  }

  async #accepts(request: IncomingMessage): Promise<boolean> {
    const { socket } = request;
    const shown = new URL(request.url ?? '/', 'http://here').searchParams.get('code') ?? '';
    const isRight = (): boolean =>
      this.#digest !== undefined &&
      this.#options.clock.monotonic() < this.#goodUntil &&
      timingSafeEqual(sha256(shown), this.#digest);
    if (!isLoopbackAddress(socket.remoteAddress ?? '') || !isRight()) return false;
    const isOfUser = (await ownerOf(socket)) !== 'other';
    // Another request may have used it in the meantime.
    if (!isOfUser || !isRight()) return false;
    this.#digest = undefined;
    return true;
  }

  async #slowDown(): Promise<void> {
    if (this.#slowed >= MAX_SLOWED) return;
    this.#slowed++;
    await sleep(this.#options.clock, SLOWED_MS);
    this.#slowed--;
  }
}
