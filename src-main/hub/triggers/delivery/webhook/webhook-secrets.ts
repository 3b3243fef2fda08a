import type { Clock } from '../../../../base/clock.ts';
import type { Store } from '../../../storage/store.ts';
import { newWebhookSecret } from './signature.ts';

/** How long the previous secret signs in addition to a new one. */
export const OVERLAP_MS = 24 * 60 * 60 * 1_000;

/** The secrets that sign requests to the webhooks of a part. */
export class WebhookSecrets {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The secrets that sign now, newest first. Creates one for the first request to a webhook; nobody knows it yet. */
  async signing(partId: string, targetKey: string): Promise<readonly string[]> {
    const known = await this.#read(partId, targetKey);
    if (known === undefined) {
      const row = { part_id: partId, target_key: targetKey, secret: newWebhookSecret(), made_at: this.#clock.now() };
      await this.#store.db
        .insertInto('webhook_secrets')
        .values({ ...row, previous: '', previous_until: 0 })
        .onConflict((conflict) => conflict.columns(['part_id', 'target_key']).doNothing())
        .execute();
    }
    const { secret, previous, previous_until } = known ?? (await this.#require(partId, targetKey));
    return previous !== '' && previous_until > this.#clock.now() ? [secret, previous] : [secret];
  }

  /**
   * Replaces a secret. The previous one also signs for a while, so that receivers can be changed one by one.
   * @returns the new secret, which is never returned again, and until when both sign (wall-clock milliseconds)
   */
  async rotate(
    partId: string,
    targetKey: string,
  ): Promise<{ readonly secret: string; readonly previousUntil: number | undefined }> {
    const now = this.#clock.now();
    const secret = newWebhookSecret();
    return this.#store.transaction(async (tx) => {
      const before = await tx
        .selectFrom('webhook_secrets')
        .select('secret')
        .where('part_id', '=', partId)
        .where('target_key', '=', targetKey)
        .executeTakeFirst();
      const previousUntil = before === undefined ? undefined : now + OVERLAP_MS;
      const values = { secret, made_at: now, previous: before?.secret ?? '', previous_until: previousUntil ?? 0 };
      await tx
        .insertInto('webhook_secrets')
        .values({ part_id: partId, target_key: targetKey, ...values })
        .onConflict((conflict) => conflict.columns(['part_id', 'target_key']).doUpdateSet(values))
        .execute();
      return { secret, previousUntil };
    });
  }

  #read(partId: string, targetKey: string) {
    const rows = this.#store.db.selectFrom('webhook_secrets').selectAll();
    return rows.where('part_id', '=', partId).where('target_key', '=', targetKey).executeTakeFirst();
  }

  #require(partId: string, targetKey: string) {
    const rows = this.#store.db.selectFrom('webhook_secrets').selectAll();
    return rows.where('part_id', '=', partId).where('target_key', '=', targetKey).executeTakeFirstOrThrow();
  }
}
