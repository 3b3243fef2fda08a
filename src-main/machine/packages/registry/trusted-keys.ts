import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { PackageDescription } from '../../../../proto/gen/core/hub/v1/registry.ts';
import type { Clock } from '../../../base/clock.ts';
import { keyIdOf } from '../../../base/ed25519.ts';
import { ArmatureError, codeOf } from '../../../base/errors.ts';
import { replaceFile } from '../../../base/files/replace-file.ts';
import { withFolderLock } from '../install/with-folder-lock.ts';
import { splitModuleId } from '../package-id.ts';
import { leadsTo } from './package-signature.ts';

/** A key and its owner. */
export interface KnownKey {
  /** Base64 of the 32 bytes. */
  readonly key: string;
  /** Name of the publisher's key; '' for the hub's own key, which signs packages that the publisher did not sign. */
  readonly signedBy: string;
  /** When it became known, milliseconds. */
  readonly since: number;
}

interface TrustFile {
  /** Accepted keys by namespace. */
  readonly namespaces: Readonly<Record<string, KnownKey>>;
  /** The last refused key by namespace, for a person to accept. */
  readonly refused: Readonly<Record<string, KnownKey>>;
}

const FILE = 'trusted-keys.json';

/**
 * Which key signs for each namespace, for all machines of this computer. The first key that signed is remembered;
 * another replaces it only if a chain of endorsements leads to it, or a person accepts it. A namespace whose publisher
 * signed never accepts packages signed by the hub alone again.
 */
export class TrustedKeys {
  readonly #folder: string;
  readonly #clock: Clock;

  /** @param folder of all packages: `<home>/packages` */
  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /**
   * Whether the described key may sign for the namespace of this module; changes nothing.
   * @throws {ArmatureError} `module.untrusted_key`, with what a person can do; `file.unreadable`
   */
  async check(moduleId: string, description: PackageDescription): Promise<void> {
    const [namespace] = splitModuleId(moduleId);
    const { namespaces } = await this.#read();
    if (!isAccepted(keyOf(namespaces, namespace), description)) throw await this.#refuse(namespace, description);
  }

  /**
   * Remembers the key of a package that passed all checks.
   * @throws {ArmatureError} `module.untrusted_key` if another key was remembered in the meantime
   */
  async remember(moduleId: string, description: PackageDescription): Promise<void> {
    const [namespace] = splitModuleId(moduleId);
    const offered = offeredKey(description, this.#clock.now());
    if (keyOf((await this.#read()).namespaces, namespace)?.key === offered.key) return;
    const isRemembered = await this.#change((file) => {
      if (!isAccepted(keyOf(file.namespaces, namespace), description)) return undefined;
      return { ...file, namespaces: { ...file.namespaces, [namespace]: offered } };
    });
    if (!isRemembered) throw await this.#refuse(namespace, description);
  }

  /**
   * Accepts, for a person, the last refused key of a namespace.
   * @param keyId as in the refusal, so that nobody accepts a key they have not seen
   * @throws {ArmatureError} `call.not_found` if no such key was refused
   */
  async accept(namespace: string, keyId: string): Promise<KnownKey> {
    let accepted: KnownKey | undefined;
    await this.#change(({ namespaces, refused }) => {
      const offered = keyOf(refused, namespace);
      const { [namespace]: _accepted, ...others } = refused;
      if (offered === undefined || idOf(offered) !== keyId) return undefined;
      accepted = { ...offered, since: this.#clock.now() };
      return { namespaces: { ...namespaces, [namespace]: accepted }, refused: others };
    });
    if (accepted !== undefined) return accepted;
    const { refused } = await this.#read();
    const found = keyOf(refused, namespace);
    throw new ArmatureError(
      'call.not_found',
      found === undefined
        ? `No key of ${namespace} was refused on this computer: there is nothing to accept.`
        : `The key of ${namespace} that was refused is ${idOf(found)}, not ${keyId}.`,
    );
  }

  /** Known keys by namespace: accepted ones, and those that wait for a person. */
  async list(): Promise<
    readonly { readonly namespace: string; readonly isAccepted: boolean; readonly keyId: string }[]
  > {
    const { namespaces, refused } = await this.#read();
    const rows = (keys: TrustFile['namespaces'], isAccepted: boolean) =>
      Object.entries(keys).map(([namespace, key]) => ({ namespace, isAccepted, keyId: idOf(key) }));
    return [...rows(namespaces, true), ...rows(refused, false)];
  }

  async #refuse(namespace: string, description: PackageDescription): Promise<ArmatureError> {
    const offered = offeredKey(description, this.#clock.now());
    let pinned: KnownKey | undefined;
    await this.#change((file) => {
      pinned = keyOf(file.namespaces, namespace);
      return { ...file, refused: { ...file.refused, [namespace]: offered } };
    });
    const keyId = idOf(offered);
    const before = pinned === undefined ? 'another key' : `the key ${idOf(pinned)}${ofWhom(pinned)}`;
    return new ArmatureError(
      'module.untrusted_key',
      `it is signed by the key ${keyId}${ofWhom(offered)}, but packages of ${namespace} were signed by ${before}. If its publisher says that this is right, run: armature module trust ${namespace} ${keyId}`,
      { details: { namespace, keyId } },
    );
  }

  /** @returns whether `change` produced new content */
  #change(change: (file: TrustFile) => TrustFile | undefined): Promise<boolean> {
    return withFolderLock(this.#folder, this.#clock, new AbortController().signal, async () => {
      const changed = change(await this.#read());
      if (changed !== undefined) await replaceFile(this.#file, `${JSON.stringify(changed, undefined, 2)}\n`);
      return changed !== undefined;
    });
  }

  get #file(): string {
    return path.join(this.#folder, FILE);
  }

  /** An unreadable file must not lead to trusting any new key. */
  async #read(): Promise<TrustFile> {
    let why: string;
    try {
      const { namespaces, refused } = JSON.parse(await readFile(this.#file, 'utf8')) as Partial<TrustFile>;
      if (areKeys(namespaces) && areKeys(refused)) return { namespaces, refused };
      why = 'it has not the form it was written in';
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') return { namespaces: {}, refused: {} };
      why = thrown instanceof Error ? thrown.message : String(thrown);
    }
    throw new ArmatureError(
      'file.unreadable',
      `${this.#file} says which keys may sign modules and cannot be read (${why}). Repair it; delete it to trust the next package of each publisher again.`,
      { details: { path: this.#file } },
    );
  }
}

/** A namespace may be named like a property that every object has. */
function keyOf(keys: TrustFile['namespaces'], namespace: string): KnownKey | undefined {
  return Object.hasOwn(keys, namespace) ? keys[namespace] : undefined;
}

function isAccepted(pinned: KnownKey | undefined, { publicKey, signedBy, endorsements }: PackageDescription): boolean {
  if (pinned === undefined) return true;
  const known = Buffer.from(pinned.key, 'base64');
  if (known.equals(publicKey)) return true;
  if (pinned.signedBy !== '' && signedBy === '') return false;
  return leadsTo(known, publicKey, endorsements);
}

function offeredKey({ publicKey, signedBy }: PackageDescription, since: number): KnownKey {
  return { key: Buffer.from(publicKey).toString('base64'), signedBy, since };
}

function idOf({ key }: KnownKey): string {
  return keyIdOf(Buffer.from(key, 'base64'));
}

function ofWhom({ signedBy }: KnownKey): string {
  return signedBy === '' ? ' of the hub' : ` ("${signedBy}")`;
}

function areKeys(value: unknown): value is Readonly<Record<string, KnownKey>> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((one: unknown) => {
    const { key, signedBy, since } = (one ?? {}) as Record<string, unknown>;
    return typeof key === 'string' && typeof signedBy === 'string' && typeof since === 'number';
  });
}
