import http from 'node:http';
import https from 'node:https';
import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { ArmatureError } from '../../../../base/errors.ts';
import type { AddressRules } from './address-rules.ts';
import type { StoredResponse } from '../stored-request.ts';

/** Bytes of a response's body that are kept. */
export const MAX_KEPT_BODY_BYTES = 4 * 1024;
/** Bytes of a response's body that are read. If a receiver sends more, the connection is closed. */
const MAX_READ_BODY_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 50;
const MAX_HEADER_LENGTH = 500;
/** How long unused connections are kept. */
const IDLE_MS = 5_000;

/** Finds all addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface WebhookClientOptions {
  readonly rules: () => AddressRules;
  /** Connections to one host. */
  readonly connectionsPerHost: number;
  /** Default: the system's. */
  readonly resolve?: Resolve;
}

export interface HttpRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends HTTP requests to URLs that users configured. Addresses are checked when the connection is made: only the
 * allowed addresses of a name are passed to it, so that no second look-up can give a different address.
 */
export class WebhookClient {
  readonly #rules: () => AddressRules;
  readonly #resolve: Resolve;
  readonly #looking = new Map<string, Promise<readonly LookupAddress[]>>();
  readonly #http: http.Agent;
  readonly #https: https.Agent;

  constructor({ rules, connectionsPerHost, resolve = resolveBySystem }: WebhookClientOptions) {
    this.#rules = rules;
    this.#resolve = resolve;
    const agent = { keepAlive: true, maxSockets: connectionsPerHost, timeout: IDLE_MS };
    this.#http = new http.Agent(agent);
    this.#https = new https.Agent(agent);
  }

  /**
   * Makes one request. Does not follow redirects.
   * @throws {ArmatureError} `webhook.refused` for an address that may not be reached; Node's errors of the connection
   */
  async request({ url, method, headers, body }: HttpRequest, signal: AbortSignal): Promise<StoredResponse> {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    // Addresses need no look-up, so they are checked here.
    const fault = isIP(host) === 0 ? this.#rules().faultOfName(host) : this.#rules().faultOf(host);
    if (fault !== undefined) throw refused(host, fault);
    const isTls = url.protocol === 'https:';
    return new Promise((resolve, reject) => {
      const request = (isTls ? https : http).request(url, {
        method,
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerBytes(value)])),
        agent: isTls ? this.#https : this.#http,
        lookup: this.#lookup,
        maxHeaderSize: MAX_HEADER_BYTES,
        signal,
      });
      request.on('error', reject);
      request.on('response', (response) => readResponse(response, resolve));
      request.end(body === '' ? undefined : body);
    });
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    this.#addresses(hostname).then(
      (all) => {
        const wanted = options.family === 4 || options.family === 6 ? options.family : undefined;
        const rules = this.#rules();
        const faults = all.map(({ address }) => rules.faultOf(address));
        const allowed = all.filter(
          ({ family }, index) => faults[index] === undefined && (wanted === undefined || family === wanted),
        );
        const [first] = allowed;
        const fault = faults.find((one) => one !== undefined) ?? 'has no address';
        if (first === undefined) callback(refused(`${hostname} (${all[0]?.address ?? '?'})`, fault), []);
        else if (options.all === true) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (thrown: unknown) => callback(thrown as NodeJS.ErrnoException, []),
    );
  };

  /** Shares simultaneous look-ups of a name, because a slow one occupies a thread of the program. */
  #addresses(hostname: string): Promise<readonly LookupAddress[]> {
    const begun = this.#looking.get(hostname);
    if (begun !== undefined) return begun;
    const looking = this.#resolve(hostname).finally(() => this.#looking.delete(hostname));
    this.#looking.set(hostname, looking);
    return looking;
  }
}

function resolveBySystem(hostname: string): Promise<readonly LookupAddress[]> {
  return systemLookup(hostname, { all: true });
}

function refused(host: string, fault: string): ArmatureError {
  return new ArmatureError('webhook.refused', `${host} ${fault}.`, { details: { host } });
}

/** Encodes a header value as UTF-8, as one character per byte for Node: machine names may have any letters. */
function headerBytes(value: string): string {
  return Buffer.from(value.replace(/[\u0000-\u001f\u007f]+/g, ' '), 'utf8').toString('latin1');
}

/** Reads a response to its end or to the size limit, and passes it to `resolve`. */
function readResponse(response: http.IncomingMessage, resolve: (response: StoredResponse) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const done = (isWhole: boolean): void => {
    const body = Buffer.concat(chunks);
    resolve({
      status: response.statusCode ?? 0,
      headers: keptHeaders(response.headers),
      body: body.subarray(0, MAX_KEPT_BODY_BYTES).toString('utf8'),
      isCut: !isWhole || bytes > MAX_KEPT_BODY_BYTES,
    });
  };
  response.on('data', (chunk: Buffer) => {
    if (bytes < MAX_KEPT_BODY_BYTES) chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_READ_BODY_BYTES) response.destroy();
  });
  response.on('end', () => done(true));
  // If the response was cut off by the size limit, the receiver or the time limit, its status is still known.
  response.on('close', () => done(false));
  response.on('error', () => done(false));
}

function keptHeaders(headers: http.IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).slice(0, MAX_HEADERS);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, [value ?? ''].flat().join(', ').slice(0, MAX_HEADER_LENGTH)]),
  );
}
