import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmod, mkdir, readFile, readdir, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import { endorsementOf, keyIdOf, rawPublicKey, signWith } from '../../../base/ed25519.ts';
import type { KeyEndorsement } from '../../../../proto/gen/core/hub/v1/registry.ts';

const FILE = 'publisher-key';

/** The key that this computer's user signs packages with. */
export class PublisherKey {
  readonly file: string;
  /** As hubs and machines call it. */
  readonly id: string;
  /** Raw, 32 bytes. */
  readonly publicKey: Buffer;
  readonly #key: KeyObject;

  constructor(file: string, key: KeyObject) {
    this.file = file;
    this.#key = key;
    this.publicKey = rawPublicKey(key);
    this.id = keyIdOf(this.publicKey);
  }

  /**
   * The key at home; undefined where none was made.
   * @throws {ArmatureError} `file.unreadable`, also for one that others may read
   */
  static async load(home: string): Promise<PublisherKey | undefined> {
    return PublisherKey.#read(path.join(home, FILE));
  }

  /**
   * Makes a key.
   * @param isReplacing keeps the old key beside the new one, to endorse it
   * @throws {ArmatureError} `file.unwritable` where there is one already, or the folder cannot be written
   */
  static async create(home: string, isReplacing: boolean): Promise<PublisherKey> {
    const file = path.join(home, FILE);
    const before = await PublisherKey.#read(file);
    if (before !== undefined && !isReplacing) {
      throw new ArmatureError(
        'file.unwritable',
        `There is a key already: ${before.id} in ${file}. Use it, or replace it with --force; it is kept beside the new one.`,
      );
    }
    const { privateKey } = generateKeyPairSync('ed25519');
    try {
      await mkdir(home, { recursive: true, mode: 0o700 });
      if (before !== undefined) await rename(file, `${file}-${before.id}`);
      await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
      await chmod(file, 0o600);
    } catch (cause) {
      throw new ArmatureError('file.unwritable', `${file} cannot be written: ${toArmatureError(cause).message}.`, {
        cause,
      });
    }
    return new PublisherKey(file, privateKey);
  }

  sign(message: Uint8Array): Buffer {
    return signWith(this.#key, message);
  }

  /** An endorsement by an earlier key that the hub still accepts: machines then accept this key without a person. */
  async endorsement(home: string, acceptedIds: ReadonlySet<string>): Promise<KeyEndorsement | undefined> {
    const earlier = (await readdir(home)).filter((name) => name.startsWith(`${FILE}-`));
    for (const name of earlier) {
      const key = await PublisherKey.#read(path.join(home, name));
      if (key === undefined || !acceptedIds.has(key.id)) continue;
      const signature = key.sign(endorsementOf(this.publicKey));
      return { endorsedKey: this.publicKey, byKey: key.publicKey, signature };
    }
    return undefined;
  }

  static async #read(file: string): Promise<PublisherKey | undefined> {
    try {
      const { mode } = await stat(file);
      if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
        throw new Error('others may read it; run chmod 600 on it, or make another key if somebody has read it');
      }
      return new PublisherKey(file, createPrivateKey(await readFile(file)));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new ArmatureError('file.unreadable', `${file} cannot be used: ${toArmatureError(cause).message}.`, {
        cause,
      });
    }
  }
}
