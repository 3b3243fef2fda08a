import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../../base/clock.ts';
import { toArmatureError, ArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { StatusCode } from '../../../base/status.ts';
import { FailureLimit, type FailureLimitOptions } from '../../../rpc/access/failure-limit.ts';
import { answerText } from '../../../rpc/port/http-routes.ts';
import { isLoopbackAddress } from '../../../rpc/tracked-connection.ts';
import { callerOf, type Caller } from '../../access/caller.ts';
import type { HubAccess } from '../../access/hub-access.ts';
import type { Credentials } from '../../access/keys/credentials.ts';
import { organizationPlace } from '../../places/place.ts';
import type { Store } from '../../storage/store.ts';
import { PACKAGE_FILES, readFilePath } from './file-path.ts';
import type { Packages, StoredPackage } from './packages.ts';

export interface PackageFilesOptions {
  readonly packages: Packages;
  readonly store: Store;
  readonly credentials: Credentials;
  readonly access: Pick<HubAccess, 'isInsecure' | 'refusals'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Failed attempts that one address may make. */
const FAILURE_LIMIT: FailureLimitOptions = { failures: 100, windowMs: 60_000, maxAddresses: 10_000 };

const statuses: Readonly<Partial<Record<StatusCode, number>>> = {
  [StatusCode.UNAUTHENTICATED]: 401,
  [StatusCode.PERMISSION_DENIED]: 403,
  [StatusCode.NOT_FOUND]: 404,
  [StatusCode.RESOURCE_EXHAUSTED]: 429,
  [StatusCode.UNAVAILABLE]: 503,
};

/**
 * Serves packages over HTTP, as machines of the public ecosystem fetch them: HEAD and GET with the headers `key_id` and
 * `key`, or `part_id` and `secret`, starting at any byte.
 */
export class PackageFiles {
  readonly #options: PackageFilesOptions;
  readonly #failures: FailureLimit;

  constructor(options: PackageFilesOptions) {
    this.#options = options;
    this.#failures = new FailureLimit(FAILURE_LIMIT, options.clock);
  }

  /** Answers a request for a path below {@link PACKAGE_FILES}. Never rejects. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        answerText(request, response, 405, 'Ask for this by GET or HEAD.\n');
        return;
      }
      await this.#send(request, response, await this.#find(request));
    } catch (thrown) {
      const error = toArmatureError(thrown);
      if (response.headersSent) {
        // Too late for an error message. The client sees that bytes are missing at the end.
        response.destroy();
        this.#options.logger.debug(`${request.url ?? ''} was not sent to its end: ${error.message}`);
        return;
      }
      if (error.info.kind === 'ours') this.#options.logger.error(`${request.url ?? ''}: ${error.message}`);
      answerText(request, response, statuses[error.info.status] ?? 500, `${error.message}\n`);
    }
  }

  async #find(request: IncomingMessage): Promise<StoredPackage> {
    const path = request.url?.split('?', 1)[0] ?? '';
    const caller = await this.#caller(request);
    const wanted = readFilePath(path);
    if (wanted === undefined || !caller.may('package.read', organizationPlace(wanted.organizationId))) {
      throw new ArmatureError(
        'call.not_found',
        `There is no package at ${path.slice(0, 400)}, or it may not be seen with this key.`,
      );
    }
    return this.#options.packages.get(wanted);
  }

  async #caller(request: IncomingMessage): Promise<Caller> {
    const { access, credentials, store } = this.#options;
    const address = request.socket.remoteAddress ?? '';
    const refuse = (message: string): ArmatureError => {
      access.refusals.record('bad-credentials', address, PACKAGE_FILES, message);
      return new ArmatureError('access.unauthenticated', message);
    };
    const connection = { isLoopback: isLoopbackAddress(address), isEncrypted: 'encrypted' in request.socket };
    if (access.isInsecure({ connection } as Parameters<HubAccess['isInsecure']>[0])) {
      const message = 'Credentials over clear text from another computer are refused: use TLS.';
      throw new ArmatureError('access.denied', message);
    }
    const header = (name: string): string => String(request.headers[name] ?? '');
    const shown =
      header('key_id') === ''
        ? { type: 'robot-secret', entity: header('part_id'), payload: header('secret') }
        : { type: 'api-key', entity: header('key_id'), payload: header('key') };
    if (shown.entity === '' || shown.payload === '') {
      throw refuse('This needs the headers "key_id" and "key" of an API key, or "part_id" and "secret" of a part.');
    }
    let match = credentials.match(shown.type, shown.entity, shown.payload);
    if (match === undefined) {
      // A command may have created the key a moment ago: it is valid at once.
      await credentials.follow();
      match = credentials.match(shown.type, shown.entity, shown.payload);
    }
    if (match === undefined) {
      const waitMs = this.#failures.waitMs(address);
      if (waitMs > 0) {
        const message = `too many failed attempts from ${address}: try again in ${Math.ceil(waitMs / 1_000)} s`;
        throw new ArmatureError('access.rate_limited', message);
      }
      this.#failures.recordFailure(address);
      throw refuse('invalid credentials');
    }
    const { kind, id: entity } = match.holder;
    return callerOf({ kind, entity }, store.db, (message) =>
      access.refusals.record('not-permitted', address, PACKAGE_FILES, message),
    );
  }

  async #send(request: IncomingMessage, response: ServerResponse, found: StoredPackage): Promise<void> {
    const { bytes, sha256, crc32c } = found;
    const offset = offsetOf(request.headers.range, bytes);
    const etag = `"${sha256}"`;
    const condition = request.headers['if-range'];
    const isPart = offset !== undefined && (condition === undefined || condition === etag);
    const headers = {
      'content-type': 'application/x-gzip',
      'x-goog-hash': `crc32c=${crc32c}`,
      'accept-ranges': 'bytes',
      etag,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    };
    if (isPart && offset >= bytes) {
      response.writeHead(416, { ...headers, 'content-range': `bytes */${bytes}`, 'content-length': 0 });
      response.end();
      return;
    }
    const from = isPart ? offset : 0;
    const range = isPart ? { 'content-range': `bytes ${from}-${bytes - 1}/${bytes}` } : {};
    response.writeHead(isPart ? 206 : 200, { ...headers, ...range, 'content-length': bytes - from });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    const blob = await this.#options.packages.open(found, from);
    try {
      await pipeline(blob, response);
    } finally {
      blob.close();
    }
  }
}

/** First byte of `bytes=N-`, which resumes a download; undefined for any other range, which gets the whole file. */
function offsetOf(range: string | undefined, bytes: number): number | undefined {
  const match = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(range ?? '');
  if (match === null) return undefined;
  const isToTheEnd = match[2] === '' || Number(match[2]) >= bytes - 1;
  return isToTheEnd ? Number(match[1]) : undefined;
}
