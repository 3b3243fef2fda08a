import { rootCertificates } from 'node:tls';
import type { SentMessageInfo } from 'nodemailer/lib/smtp-transport/index.js';
import { withTimeout } from '../../../base/async/timeout.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError, codeOf, toArmatureError } from '../../../base/errors.ts';
import type { NotificationSettings, SmtpSettings } from './notification-settings.ts';
import type { SendResult } from './send-result.ts';
import type { MailRequest } from './stored-request.ts';
import { MAX_KEPT_BODY_BYTES } from './webhook/webhook-client.ts';

const CONNECT_MS = 10_000;
/** A mail server may inspect a mail for a while before it accepts it. */
const TIMEOUT_MS = 60_000;

/** Sends e-mail through the hub's mail server. */
export class Mailer {
  readonly #settings: NotificationSettings;
  readonly #clock: Clock;

  constructor(settings: NotificationSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /**
   * Makes one attempt. Rejects with the reason of the signal, or if the store cannot be read.
   * @param id of the delivery: a mail has the same Message-ID in each attempt
   */
  async send(request: MailRequest, id: string, signal: AbortSignal): Promise<SendResult> {
    const smtp = await this.#settings.smtp();
    if (smtp === undefined) {
      return { kind: 'failed', reason: 'This hub has no mail server: set one (armature hub smtp).' };
    }
    try {
      const info = await withTimeout(() => this.#post(smtp, request, id), {
        clock: this.#clock,
        ms: TIMEOUT_MS,
        signal,
        onTimeout: () => {
          throw new ArmatureError('mail.failed', `it did not take the mail within ${TIMEOUT_MS / 1_000} s`);
        },
      });
      const status = Number(info.response.slice(0, 3)) || 250;
      return { kind: 'delivered', response: { status, headers: {}, body: info.response, isCut: false } };
    } catch (thrown) {
      signal.throwIfAborted();
      return failureOf(thrown, smtp);
    }
  }

  async #post(smtp: SmtpSettings, { to, subject, text, html }: MailRequest, id: string): Promise<SentMessageInfo> {
    // Loaded only when a mail is sent: most hubs send none.
    const { createTransport } = await import('nodemailer');
    const { host, port, security, user, sender, authority } = smtp;
    const pass = await this.#settings.smtpPassword();
    const transport = createTransport({
      host,
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      ...(user === '' ? {} : { auth: { user, pass } }),
      ...(authority === '' ? {} : { tls: { ca: [...rootCertificates, authority] } }),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      const domain = sender.slice(sender.lastIndexOf('@') + 1);
      return await transport.sendMail({
        from: sender,
        to: { name: '', address: to },
        subject,
        text,
        html,
        messageId: `<${id}@${domain}>`,
        // Prevents automatic replies (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    } finally {
      transport.close();
    }
  }
}

function failureOf(thrown: unknown, { host, port }: SmtpSettings): SendResult {
  const { response, responseCode } = thrown as { response?: string; responseCode?: number };
  const { message } = toArmatureError(thrown);
  const answered = typeof response === 'string' && typeof responseCode === 'number';
  return {
    kind: 'failed',
    reason: `The mail server ${host}:${port} did not take the mail: ${message}`,
    ...(answered
      ? { response: { status: responseCode, headers: {}, body: response.slice(0, MAX_KEPT_BODY_BYTES), isCut: false } }
      : {}),
    // An address that the server rejects permanently stays wrong.
    isFinal: codeOf(thrown) === 'EENVELOPE' && answered && responseCode >= 500,
  };
}
