import { X509Certificate } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { RobotServiceDefinition } from '../../../proto/gen/core/app/v1/robot.ts';
import type { BackoffOptions } from '../../base/async/backoff.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Certificate } from '../../rpc/port/listener.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import { Delivery } from '../outbox/delivery.ts';
import type { HubLink } from './hub-link.ts';

export interface HubCertificateOptions {
  readonly partId: () => string;
  readonly link: Pick<HubLink, 'call' | 'isConnected' | 'onChange'>;
  /** Folder that stores it, for a start without the hub; created when needed. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A certificate to show from now on. */
  readonly onCertificate: (certificate: Certificate) => void;
}

const FILE = 'certificate.json';
/** Well within the life of a certificate, and within the longest timer. */
const RENEWAL_MS = 7 * 24 * 60 * 60 * 1_000;

/** A hub that does not sign certificates is unlikely to start soon. */
const RENEWAL_RETRY_BACKOFF: BackoffOptions = { firstMs: 5_000, maxMs: 300_000, factor: 2, jitter: 0.5 };

/**
 * The certificate that the hub of a machine signs for it: a new one for each
 * start and each week. While the hub is unreachable, the last one is used; it
 * and its key are readable by the owner alone.
 */
export class HubCertificate {
  readonly #options: HubCertificateOptions;
  readonly #asking: Delivery;
  #next: Timer | undefined;
  #hasFresh = false;
  #isClosed = false;

  constructor(options: HubCertificateOptions) {
    this.#options = options;
    const { link, clock, logger } = options;
    this.#asking = new Delivery({
      link,
      send: () => this.#renew(),
      backoff: RENEWAL_RETRY_BACKOFF,
      trouble: 'There is no new certificate of the hub, so TLS goes on as it was',
      clock,
      logger,
    });
    void this.#recall();
  }

  close(): void {
    this.#isClosed = true;
    this.#asking.close();
    this.#next?.cancel();
  }

  get #file(): string {
    return path.join(this.#options.folder, FILE);
  }

  async #recall(): Promise<void> {
    const { clock, logger, onCertificate } = this.#options;
    try {
      const kept = JSON.parse(await readFile(this.#file, 'utf8')) as Partial<Certificate>;
      const { cert = '', key = '' } = kept;
      if (new X509Certificate(cert).validToDate.getTime() <= clock.now()) return;
      if (!this.#hasFresh && !this.#isClosed) onCertificate({ cert, key });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return;
      logger.warn(`The kept certificate ${this.#file} cannot be used: ${toArmatureError(thrown).message}`);
    }
  }

  async #renew(): Promise<boolean> {
    if (this.#hasFresh) return false;
    const { link, partId, clock, logger, onCertificate } = this.#options;
    const answer = await link.call(RobotServiceDefinition, 'certificate', { id: partId() });
    const certificate = { cert: answer.tlsCertificate, key: answer.tlsPrivateKey };
    const { subjectAltName, validTo } = new X509Certificate(certificate.cert);
    if (this.#isClosed) return false;
    this.#hasFresh = true;
    onCertificate(certificate);
    logger.debug(`TLS has a certificate of the hub until ${validTo}`, { names: subjectAltName });
    this.#next = clock.after(RENEWAL_MS, () => {
      this.#hasFresh = false;
      this.#asking.wake();
    });
    await this.#keep(certificate);
    return false;
  }

  async #keep(certificate: Certificate): Promise<void> {
    try {
      await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
      await replaceFile(this.#file, JSON.stringify(certificate));
      // A person may have widened the access rights of the old file: the new file must be private.
      await chmod(this.#file, 0o600);
    } catch (thrown) {
      this.#options.logger.warn(
        `The certificate of the hub is not kept (${toArmatureError(thrown).message}): a start without the hub has no TLS.`,
      );
    }
  }
}
