import { readFileSync } from 'node:fs';
import { systemClock } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { newId } from '../../hub/places/ids.ts';
import type { Store } from '../../hub/storage/store.ts';
import { Mailer } from '../../hub/triggers/delivery/mailer.ts';
import { NotificationSettings, type SmtpSecurity } from '../../hub/triggers/delivery/notification-settings.ts';

/** What `armature hub smtp` is to do. */
export type SmtpAction =
  | { readonly kind: 'show' }
  | { readonly kind: 'forget' }
  | { readonly kind: 'test'; readonly to: string }
  | {
      readonly kind: 'set';
      readonly host: string;
      readonly port: number;
      readonly security: SmtpSecurity;
      readonly user: string;
      readonly sender: string;
      /** A file in PEM; undefined for what the system trusts. */
      readonly authorityFile: string | undefined;
      /** Undefined keeps the one there is. */
      readonly password: string | undefined;
    };

/**
 * Sets the mail server of a hub. A running hub uses it for the next mail.
 * @returns what to print on standard output
 * @throws {ArmatureError} any failure, with a message for the user
 */
export async function runSmtpAction(store: Store, action: SmtpAction): Promise<string> {
  // Which addresses webhooks may reach does not matter to mail.
  const settings = await NotificationSettings.open(store, false);
  switch (action.kind) {
    case 'show':
      return show(settings);
    case 'forget':
      await settings.setSmtp(undefined, undefined);
      return 'no mail is sent any more\n';
    case 'test': {
      const text = 'This is a test: the hub can send mail by this server.\n';
      const request = {
        kind: 'email',
        to: action.to,
        subject: 'Test of the mail server',
        text,
        html: `<p>${text}</p>`,
      } as const;
      const never = new AbortController().signal;
      const result = await new Mailer(settings, systemClock).send(request, `test-${newId()}`, never);
      if (result.kind === 'failed') throw new ArmatureError('mail.failed', result.reason);
      return `sent to ${action.to}\n`;
    }
    case 'set': {
      const { kind: _kind, authorityFile, password, ...smtp } = action;
      const authority = authorityFile === undefined ? '' : readAuthority(authorityFile);
      await settings.setSmtp({ ...smtp, authority }, password);
      return show(settings);
    }
  }
}

async function show(settings: NotificationSettings): Promise<string> {
  const smtp = await settings.smtp();
  if (smtp === undefined) return 'no mail server\n';
  const { host, port, security, user, sender, authority } = smtp;
  const password = (await settings.smtpPassword()) === '' ? 'none' : 'set';
  const rows = [
    `server ${host}:${port} ${security}`,
    `user ${user === '' ? 'none' : user}`,
    `password ${password}`,
    `sender ${sender}`,
    ...(authority === '' ? [] : ['authority its own']),
  ];
  return `${rows.join('\n')}\n`;
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ArmatureError(
      'file.unreadable',
      `--authority: ${file} cannot be read: ${toArmatureError(cause).message}`,
      {
        details: { path: file },
        cause,
      },
    );
  }
}
