import { ArmatureError } from '../../../base/errors.ts';
import { readSetting } from '../../storage/settings.ts';
import type { Store } from '../../storage/store.ts';
import type { WriteTransaction } from '../../storage/tables.ts';
import { AddressRules, isNetwork } from './webhook/address-rules.ts';

const SMTP = 'smtp';
/** A setting of its own, so that code that shows settings never reads it. */
const SMTP_PASSWORD = 'smtp_password';
const NETWORKS = 'webhooks.allow';
const MAX_NETWORKS = 100;

/** Encryption of the connection to a mail server: after STARTTLS, from the first byte, or none. */
export type SmtpSecurity = 'starttls' | 'tls' | 'none';

/** The mail server. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  readonly security: SmtpSecurity;
  /** '' if the server needs no login. */
  readonly user: string;
  /** Sender address of the mails. */
  readonly sender: string;
  /** PEM of an additional authority that signed the server's certificate; '' for none. */
  readonly authority: string;
}

/** The settings of a hub for its notifications. */
export class NotificationSettings {
  readonly #store: Store;
  readonly #reachesLoopback: boolean;
  #networks: readonly string[] = [];
  #rules: AddressRules;

  private constructor(store: Store, reachesLoopback: boolean) {
    this.#store = store;
    this.#reachesLoopback = reachesLoopback;
    this.#rules = new AddressRules({ loopback: reachesLoopback, networks: [] });
  }

  /** @param reachesLoopback whether webhooks may be sent to this computer */
  static async open(store: Store, reachesLoopback: boolean): Promise<NotificationSettings> {
    const settings = new NotificationSettings(store, reachesLoopback);
    await settings.read();
    return settings;
  }

  /** Reads the store again, because another hub may have changed it. Throws if it cannot be read. */
  async read(): Promise<void> {
    const text = await readSetting(this.#store.db, NETWORKS);
    this.#allow(text === undefined ? [] : (JSON.parse(text) as string[]));
  }

  /** The addresses to which webhooks may be sent. */
  readonly rules = (): AddressRules => this.#rules;

  /** Networks that are allowed in addition to the default ones. */
  get networks(): readonly string[] {
    return this.#networks;
  }

  /** @throws {ArmatureError} `call.bad_argument` */
  async setNetworks(networks: readonly string[]): Promise<void> {
    const wrong = networks.find((network) => !isNetwork(network));
    if (wrong !== undefined) {
      throw new ArmatureError(
        'call.bad_argument',
        `"${wrong.slice(0, 80)}" is no network: write for example 10.1.0.0/16.`,
      );
    }
    if (networks.length > MAX_NETWORKS) {
      throw new ArmatureError(
        'call.bad_argument',
        `${networks.length} networks are too many: at most ${MAX_NETWORKS} are kept.`,
      );
    }
    await this.#store.transaction((tx) => write(tx, NETWORKS, JSON.stringify(networks)));
    this.#allow(networks);
  }

  /** Undefined if no server is set. Read each time, because `armature hub smtp` may write while the hub runs. */
  async smtp(): Promise<SmtpSettings | undefined> {
    const text = await readSetting(this.#store.db, SMTP);
    return text === undefined ? undefined : (JSON.parse(text) as SmtpSettings);
  }

  /** The password of the mail server; '' for none. */
  async smtpPassword(): Promise<string> {
    return (await readSetting(this.#store.db, SMTP_PASSWORD)) ?? '';
  }

  /**
   * @param smtp undefined deletes the server and the password
   * @param password undefined keeps the password if host and user stay the same
   * @throws {ArmatureError} `call.bad_argument`
   */
  async setSmtp(smtp: SmtpSettings | undefined, password: string | undefined): Promise<void> {
    if (smtp !== undefined) requireUsable(smtp);
    await this.#store.transaction(async (tx) => {
      const text = await readSetting(tx, SMTP);
      const before = text === undefined ? undefined : (JSON.parse(text) as SmtpSettings);
      // Otherwise anybody who may set the server could send the password to a server of their own.
      const isSame = before?.host === smtp?.host && before?.user === smtp?.user;
      await write(tx, SMTP, smtp && JSON.stringify(smtp));
      if (password !== undefined || !isSame) await write(tx, SMTP_PASSWORD, password || undefined);
    });
  }

  #allow(networks: readonly string[]): void {
    this.#networks = networks;
    this.#rules = new AddressRules({ loopback: this.#reachesLoopback, networks });
  }
}

async function write(tx: WriteTransaction, name: string, value: string | undefined): Promise<void> {
  await tx.deleteFrom('settings').where('name', '=', name).execute();
  if (value !== undefined) await tx.insertInto('settings').values({ name, value }).execute();
}

function requireUsable({ host, port, sender }: SmtpSettings): void {
  const refuse = (what: string): never => {
    throw new ArmatureError('call.bad_argument', what);
  };
  if (!/^[\w.:-]{1,253}$/.test(host)) refuse(`"${host.slice(0, 80)}" is no host: name the mail server without a port.`);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) refuse(`${port} is no port: it goes from 1 to 65535.`);
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(sender)) {
    refuse(`"${sender.slice(0, 80)}" is no address that mails can come from: write one like hub@example.com.`);
  }
}
