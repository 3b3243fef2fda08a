import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { Certificate } from '../../../rpc/port/listener.ts';
import { readSetting } from '../../storage/settings.ts';
import type { Store } from '../../storage/store.ts';
import { makeCertificate, newKeyPair, type Issuer } from './x509/certificate.ts';

const CERTIFICATE = 'authority_certificate';
const KEY = 'authority_key';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Long enough that clients trust the authority once in the life of a machine. */
const AUTHORITY_DAYS = 20 * 365;
/** The longest lifetime that browsers accept. */
const SERVER_DAYS = 397;
/** Backdates certificates, so that a client whose clock is behind does not reject them as not yet valid. */
const MAX_CLOCK_SKEW_MS = DAY_MS;
/**
 * A date before the first hub existed. The authority is valid from this date or earlier, and for at least twenty years
 * after it: if the clock is wrong at the first start, the authority must still be valid when the clock is right.
 */
const EARLIEST = Date.UTC(2026, 0, 1);

/**
 * The hub's own certificate authority: signs the certificates of its port and of its parts. Kept in the store, so that
 * a backup includes it.
 */
export class Authority {
  /** PEM; the certificate that clients have to trust. */
  readonly certificate: string;
  readonly #issuer: Issuer;
  readonly #clock: Clock;

  private constructor(certificate: string, issuer: Issuer, clock: Clock) {
    this.certificate = certificate;
    this.#issuer = issuer;
    this.#clock = clock;
  }

  /** Opens the authority of a hub; creates it if there is none yet. */
  static async open(store: Store, clock: Clock, hubId: string): Promise<Authority> {
    const certificate = (await readSetting(store.db, CERTIFICATE)) ?? (await create(store, clock, hubId));
    const privateKey = createPrivateKey((await readSetting(store.db, KEY)) ?? '');
    const issuer = { name: authorityName(hubId), privateKey, publicKey: createPublicKey(privateKey) };
    return new Authority(certificate, issuer, clock);
  }

  /** SHA-256 of the certificate, in the usual form for comparison: `AB:CD:...`. */
  get fingerprint(): string {
    return new X509Certificate(this.certificate).fingerprint256;
  }

  /**
   * Creates a key and a certificate for these names and addresses.
   * @returns PEM; the certificate is followed by the authority's own
   */
  async issue(hosts: readonly string[]): Promise<Certificate> {
    const { privateKey, publicKey } = await newKeyPair();
    const now = this.#clock.now();
    const request = {
      name: hosts[0] ?? 'armature',
      publicKey,
      hosts,
      isAuthority: false,
      notBefore: now - MAX_CLOCK_SKEW_MS,
      notAfter: now + (SERVER_DAYS - 1) * DAY_MS,
    };
    return {
      cert: makeCertificate(request, this.#issuer) + this.certificate,
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
  }
}

function authorityName(hubId: string): string {
  return `Armature hub ${hubId}`;
}

async function create(store: Store, clock: Clock, hubId: string): Promise<string> {
  const { privateKey, publicKey } = await newKeyPair();
  const name = authorityName(hubId);
  const now = clock.now();
  const request = {
    name,
    publicKey,
    hosts: [],
    isAuthority: true,
    notBefore: Math.min(now - MAX_CLOCK_SKEW_MS, EARLIEST),
    notAfter: Math.max(now, EARLIEST) + AUTHORITY_DAYS * DAY_MS,
  };
  const certificate = makeCertificate(request, { name, privateKey, publicKey });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return store.transaction(async (tx) => {
    // A command may have created it in the meantime.
    const made = await readSetting(tx, CERTIFICATE);
    if (made !== undefined) return made;
    await tx.insertInto('settings').values({ name: CERTIFICATE, value: certificate }).execute();
    await tx.insertInto('settings').values({ name: KEY, value: key }).execute();
    return certificate;
  });
}
