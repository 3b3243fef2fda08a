import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/async/mutex.ts';
import { revisionOf } from '../../base/revision.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import { joinSecrets, splitSecrets } from '../../../proto/config/secret-split.ts';

/** What a part caches of its hub, to start without it. */
export interface CachedConfig {
  readonly text: string;
  readonly revision: string;
  /** Of the version at the hub. */
  readonly number: number;
  /**
   * Revision that the machine rolled back from to this text, while the hub does not know about it yet. '' if the hub
   * has this text.
   */
  readonly leftRevision: string;
  readonly membership: Membership | undefined;
}

/** A key that the hub accepts, and its holder's role for this part. */
export interface MembershipKey {
  readonly id: string;
  /** Hexadecimal. */
  readonly sha256: string;
  /** `unknown` may do nothing. */
  readonly role: 'owner' | 'operator' | 'unknown';
}

/** A key's role as stated by a hub. A hub or cache of an earlier version states none; such keys are operators. */
export function keyRole(said: string): MembershipKey['role'] {
  if (said === '') return 'operator';
  return said === 'owner' || said === 'operator' ? said : 'unknown';
}

/** What the hub said about this part. */
export interface Membership {
  readonly organizationId: string;
  readonly locationId: string;
  readonly machineId: string;
  readonly machineName: string;
  readonly partName: string;
  readonly fqdn: string;
  /** Accepted keys, also while the hub is offline. */
  readonly keys: readonly MembershipKey[];
}

interface MainFile {
  readonly revision: string;
  readonly number: number;
  readonly leftRevision: string;
  readonly pieces: readonly string[];
  /** Name of the second file with the rest. */
  readonly secretsFile: string;
  /** SHA-256 of this file and the second one, so that damaged content is not used. */
  readonly sum: string;
}

interface SecretsFile {
  readonly secrets: readonly string[];
  readonly membership: Membership | null;
}

const MAIN = 'config.json';

/**
 * The configuration of one part as its hub sent it, in a folder of its own: secrets are in a second file. A new one is
 * written beside the old one and takes effect when the main file is replaced, so that a program that is killed leaves
 * either the old or the new one.
 */
export class ConfigCache {
  readonly #folder: string;
  readonly #logger: Logger;
  readonly #writes = new Mutex();
  #count = 0;

  /** @param folder created when there is something to store */
  constructor(folder: string, logger: Logger) {
    this.#folder = folder;
    this.#logger = logger;
  }

  /** Like {@link load}, but read-only, also beside a program that writes: a damaged file stays as it is. */
  async peek(): Promise<CachedConfig | undefined> {
    try {
      return await this.#read(await readFile(path.join(this.#folder, MAIN), 'utf8'));
    } catch {
      // Missing, or being replaced: the program that writes it reports problems.
      return undefined;
    }
  }

  /** Undefined if there is none that can be used; a damaged one is renamed for a person to inspect. */
  async load(): Promise<CachedConfig | undefined> {
    let mainText: string;
    try {
      mainText = await readFile(path.join(this.#folder, MAIN), 'utf8');
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') await this.#quarantine(toArmatureError(thrown).message);
      return undefined;
    }
    try {
      return await this.#read(mainText);
    } catch (thrown) {
      await this.#quarantine(toArmatureError(thrown).message);
      return undefined;
    }
  }

  /** Never rejects: a machine without a cache runs, and logs that. */
  store(config: CachedConfig): Promise<void> {
    return this.#writes.run(async () => {
      try {
        await this.#write(config);
      } catch (thrown) {
        this.#logger.warn(
          `The configuration of the hub is not kept in ${this.#folder} (${toArmatureError(thrown).message}): without the hub, the next start would have another one.`,
        );
      }
    });
  }

  /** Settles when everything stored earlier is on the disk. */
  drained(): Promise<void> {
    return this.#writes.idle();
  }

  async #read(mainText: string): Promise<CachedConfig> {
    const main = JSON.parse(mainText) as Partial<MainFile>;
    const { sum, ...facts } = main;
    const { revision, number, leftRevision, pieces, secretsFile } = facts;
    if (!areTexts(pieces) || typeof secretsFile !== 'string' || secretsFile !== path.basename(secretsFile)) {
      throw new Error(`${MAIN} has not the form it was written in`);
    }
    const restText = await readFile(path.join(this.#folder, secretsFile), 'utf8');
    if (sum !== sumOf(facts, restText)) throw new Error('it is not what was written');
    const rest = JSON.parse(restText) as Partial<SecretsFile>;
    const text = areTexts(rest.secrets) ? joinSecrets({ pieces, secrets: rest.secrets }) : undefined;
    if (text === undefined || revisionOf(text) !== revision || typeof number !== 'number') {
      throw new Error(`its text is not the one that was written`);
    }
    return {
      text,
      revision,
      number,
      leftRevision: typeof leftRevision === 'string' ? leftRevision : '',
      membership: isMembership(rest.membership) ? withRoles(rest.membership) : undefined,
    };
  }

  async #write({ text, revision, number, leftRevision, membership }: CachedConfig): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const { pieces, secrets } = splitSecrets(text);
    const secretsFile = `secrets-${process.pid}-${Date.now()}-${this.#count++}.json`;
    const rest: SecretsFile = { secrets, membership: membership ?? null };
    const restText = JSON.stringify(rest);
    await replaceFile(path.join(this.#folder, secretsFile), restText);
    const facts = { revision, number, leftRevision, secretsFile, pieces };
    const main: MainFile = { ...facts, sum: sumOf(facts, restText) };
    const file = path.join(this.#folder, MAIN);
    await replaceFile(file, JSON.stringify(main));
    // A person may have widened the access rights of the old file: the new file must be private.
    await chmod(file, 0o600);
    for (const name of await readdir(this.#folder)) {
      if (name.startsWith('secrets-') && name !== secretsFile) await rm(path.join(this.#folder, name), { force: true });
    }
  }

  async #quarantine(why: string): Promise<void> {
    const aside = `${this.#folder}.damaged`;
    try {
      await rm(aside, { recursive: true, force: true });
      await rename(this.#folder, aside);
      this.#logger.error(
        `The kept configuration in ${this.#folder} is damaged (${why}) and was moved to ${aside}. The machine asks its hub for it.`,
      );
    } catch (thrown) {
      this.#logger.error(
        `The kept configuration in ${this.#folder} is damaged (${why}) and cannot be moved away (${toArmatureError(thrown).message}). The machine asks its hub for it.`,
      );
    }
  }
}

function sumOf(facts: Partial<Omit<MainFile, 'sum'>>, restText: string): string {
  return createHash('sha256')
    .update(`${JSON.stringify(facts)}\n${restText}`)
    .digest('hex');
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function withRoles(membership: Membership): Membership {
  const keys = membership.keys.map((key) => ({ ...key, role: keyRole((key as Partial<MembershipKey>).role ?? '') }));
  return { ...membership, keys };
}

function isMembership(value: unknown): value is Membership {
  if (typeof value !== 'object' || value === null) return false;
  const { keys, ...texts } = value as Record<string, unknown>;
  const names = ['organizationId', 'locationId', 'machineId', 'machineName', 'partName', 'fqdn'];
  if (!names.every((name) => typeof texts[name] === 'string') || !Array.isArray(keys)) return false;
  return keys.every((key: unknown) => {
    const { id, sha256, role = '' } = (key ?? {}) as Record<string, unknown>;
    if (typeof id !== 'string' || typeof role !== 'string') return false;
    return typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256);
  });
}
