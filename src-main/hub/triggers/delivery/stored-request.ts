/** What is sent, as it is kept: headers that change with each try (time, signature) are added then. */
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

/** What a receiver answered. */
export interface StoredResponse {
  /** Of HTTP, or the code of an SMTP reply. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The first 4 kB. */
  readonly body: string;
  readonly isCut: boolean;
}
