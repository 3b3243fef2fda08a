import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { KeyEndorsement } from '../../../proto/gen/core/hub/v1/registry.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { notFound } from '../places/fleet-errors.ts';
import { checkTitle } from '../places/names.ts';
import { readSetting } from '../storage/settings.ts';
import type { Store } from '../storage/store.ts';
import type { PublisherKeysTable } from './tables.ts';
import type { Queries, WriteTransaction } from '../storage/tables.ts';
import { endorsementOf, isSignedBy, keyIdOf, publicKeyOf, rawPublicKey, signWith } from '../../base/ed25519.ts';

export type PublisherKeyRow = Selectable<PublisherKeysTable>;

const HUB_KEY = 'registry_key';

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64');

/** The key with which a hub signs packages that came without a signature. Created once and kept in the store. */
export class RegistryKey {
  readonly publicKey: Buffer;
  readonly #key: KeyObject;

  private constructor(key: KeyObject) {
    this.#key = key;
    this.publicKey = rawPublicKey(key);
  }

  static async open(store: Store): Promise<RegistryKey> {
    const pem = await store.transaction(async (tx) => {
      const known = await readSetting(tx, HUB_KEY);
      if (known !== undefined) return known;
      const made = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
      await tx.insertInto('settings').values({ name: HUB_KEY, value: made }).execute();
      return made;
    });
    return new RegistryKey(createPrivateKey(pem));
  }

  sign(message: Uint8Array): Buffer {
    return signWith(this.#key, message);
  }
}

/** The keys that may sign packages of an organization, and their endorsements of newer keys. */
export class PublisherKeys {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #hubKey: RegistryKey;

  constructor(store: Store, clock: Clock, hubKey: RegistryKey) {
    this.#store = store;
    this.#clock = clock;
    this.#hubKey = hubKey;
  }

  /** All keys that an organization ever had, oldest first. */
  list(organizationId: string, db: Queries = this.#store.db): Promise<PublisherKeyRow[]> {
    return db
      .selectFrom('publisher_keys')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .orderBy('added_at')
      .orderBy('id')
      .execute();
  }

  /**
   * Adds an accepted key. The hub endorses the first key of an organization, for machines that already have packages
   * signed by the hub.
   * @param endorsement by a key that is already accepted
   * @throws {ArmatureError} `call.bad_argument`, `fleet.name_taken`, `registry.bad_signature`
   */
  async add(
    organizationId: string,
    name: string,
    publicKey: Uint8Array,
    endorsement: KeyEndorsement | undefined,
  ): Promise<PublisherKeyRow> {
    if (publicKeyOf(publicKey) === undefined) {
      throw new ArmatureError(
        'call.bad_argument',
        `The public key has ${publicKey.length} bytes: a raw ed25519 public key has 32.`,
      );
    }
    const row: PublisherKeyRow = {
      organization_id: organizationId,
      id: keyIdOf(publicKey),
      name: checkTitle('the name of the key', name),
      public_key: base64(publicKey),
      added_at: this.#clock.now(),
      revoked_at: null,
    };
    return this.#store.transaction(async (tx) => {
      const known = await this.list(organizationId, tx);
      const same = known.find(({ id }) => id === row.id);
      if (same !== undefined) {
        const how = same.revoked_at === null ? 'accepted already' : 'revoked: make another one';
        throw new ArmatureError('fleet.name_taken', `The key ${row.id} ("${same.name}") is ${how}.`);
      }
      if (endorsement !== undefined) requireEndorsement(endorsement, publicKey, known);
      const made = known.length === 0 ? this.#endorse(publicKey) : endorsement;
      await tx.insertInto('publisher_keys').values(row).execute();
      if (made !== undefined) await addEndorsement(organizationId, made, tx);
      return row;
    });
  }

  /** @throws {ArmatureError} `call.not_found` */
  async revoke(organizationId: string, id: string): Promise<void> {
    await this.#store.transaction(async (tx) => {
      const row = (await this.list(organizationId, tx)).find((key) => key.id === id);
      if (row === undefined) throw notFound('publisher key', id);
      if (row.revoked_at !== null) return;
      await tx
        .updateTable('publisher_keys')
        .set({ revoked_at: this.#clock.now() })
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .execute();
    });
  }

  /** All endorsements that lead to a key, directly or through other keys. */
  async endorsementsOf(organizationId: string, publicKey: Uint8Array): Promise<KeyEndorsement[]> {
    const rows = await this.#store.db
      .selectFrom('key_endorsements')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .execute();
    const found = new Set<(typeof rows)[number]>();
    const wanted = [base64(publicKey)];
    for (let key = wanted.pop(); key !== undefined; key = wanted.pop()) {
      for (const row of rows) {
        if (row.endorsed_key !== key || found.has(row)) continue;
        found.add(row);
        wanted.push(row.by_key);
      }
    }
    return [...found].map(({ endorsed_key, by_key, signature }) => ({
      endorsedKey: bytesOf(endorsed_key),
      byKey: bytesOf(by_key),
      signature: bytesOf(signature),
    }));
  }

  #endorse(publicKey: Uint8Array): KeyEndorsement {
    const signature = this.#hubKey.sign(endorsementOf(publicKey));
    return { endorsedKey: publicKey, byKey: this.#hubKey.publicKey, signature };
  }
}

function requireEndorsement(
  { endorsedKey, byKey, signature }: KeyEndorsement,
  publicKey: Uint8Array,
  known: readonly PublisherKeyRow[],
): void {
  const refuse = (why: string): never => {
    throw new ArmatureError('registry.bad_signature', `The endorsement of the key ${keyIdOf(publicKey)} ${why}.`);
  };
  if (Buffer.compare(endorsedKey, publicKey) !== 0) refuse('is for another key');
  const by = known.find((key) => key.public_key === base64(byKey) && key.revoked_at === null);
  if (by === undefined) refuse(`is by the key ${keyIdOf(byKey)}, which is not accepted here`);
  if (!isSignedBy(byKey, endorsementOf(publicKey), signature)) refuse('has a wrong signature');
}

async function addEndorsement(organizationId: string, made: KeyEndorsement, tx: WriteTransaction): Promise<void> {
  const row = {
    organization_id: organizationId,
    endorsed_key: base64(made.endorsedKey),
    by_key: base64(made.byKey),
    signature: base64(made.signature),
  };
  await tx.insertInto('key_endorsements').values(row).execute();
}
