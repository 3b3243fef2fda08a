import type { StoredResponse } from './stored-request.ts';

/** The result of one attempt. */
export type SendResult =
  | { readonly kind: 'delivered'; readonly response: StoredResponse }
  | {
      readonly kind: 'failed';
      /** A plain sentence. */
      readonly reason: string;
      readonly response?: StoredResponse | undefined;
      /** The receiver asks for no attempt before that. */
      readonly retryAfterMs?: number | undefined;
      /** No further attempt can succeed. */
      readonly isFinal?: boolean;
    };
