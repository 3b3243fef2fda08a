import type { StoredResponse } from './stored-request.ts';

/** What became of one try. */
export type SendResult =
  | { readonly kind: 'delivered'; readonly response: StoredResponse }
  | {
      readonly kind: 'failed';
      /** A plain sentence. */
      readonly reason: string;
      readonly response?: StoredResponse | undefined;
      /** The receiver asks for no try before that. */
      readonly retryAfterMs?: number | undefined;
      /** No further try can help. */
      readonly isFinal?: boolean;
    };
