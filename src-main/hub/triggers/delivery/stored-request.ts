/** A request as it is stored. Headers that differ in each attempt (time, signature) are added when it is sent. */
export type StoredRequest = WebhookRequest | MailRequest;

export interface WebhookRequest {
  readonly kind: 'webhook';
  /** GET has no body. */
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; '' for GET. */
  readonly body: string;
}

export interface MailRequest {
  readonly kind: 'email';
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The answer of a receiver. */
export interface StoredResponse {
  /** HTTP status, or the code of an SMTP reply. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The first 4 kB. */
  readonly body: string;
  readonly isCut: boolean;
}
