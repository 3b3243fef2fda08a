import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { Authority } from '../../access/certificates/authority.ts';
import { openTestStore, testStores } from '../../storage/testing/test-stores.ts';
import { TriggerBench, onReadings, trigger } from '../testing/trigger-bench.ts';
import { NotificationSettings, type SmtpSettings } from './notification-settings.ts';

/** A mail as the server received it. */
interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly isEncrypted: boolean;
  readonly user: string;
  readonly text: string;
}

const [sqlite] = testStores;
const email = (value: string) => ({ type: 'email', value, seconds_between_notifications: 0 });

describe('e-mail of triggers', () => {
  let bench: TriggerBench;
  let end: () => Promise<void>;
  let server: SMTPServer | undefined;
  let settings: NotificationSettings;
  let authority: Authority;
  const mails: ReceivedMail[] = [];

  beforeEach(async () => {
    if (sqlite === undefined) throw new Error('there is always SQLite');
    const opened = await openTestStore(sqlite);
    end = opened.end;
    bench = await TriggerBench.open(opened.store);
    // Certificates are checked against the computer's own clock.
    authority = await Authority.open(opened.store, systemClock, 'hub');
    settings = await NotificationSettings.open(opened.store, true);
    mails.length = 0;
  });

  afterEach(async () => {
    await bench.close();
    await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
    server = undefined;
    await end();
  });

  async function listen(options: SMTPServerOptions = {}): Promise<SmtpSettings> {
    const { key, cert } = await authority.issue(['127.0.0.1']);
    const smtp = new SMTPServer({
      key,
      cert,
      authOptional: false,
      onAuth: ({ username = '', password = '' }, _session, callback) =>
        username === 'hub' && password === 'open sesame'
          ? callback(null, { user: username })
          : callback(new Error('wrong password')),
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          mails.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            isEncrypted: session.secure,
            user: String(session.user),
            text: Buffer.concat(chunks).toString('utf8'),
          });
          callback();
        });
      },
      ...options,
    });
    server = smtp;
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    const { port } = smtp.server.address() as AddressInfo;
    const security = options.secure === true ? 'tls' : 'starttls';
    return {
      host: '127.0.0.1',
      port,
      security,
      user: 'hub',
      sender: 'hub@example.com',
      authority: authority.certificate,
    };
  }

  const only = async () => (await bench.all())[0];

  it.each([[false], [true]])(
    'goes by the server of the hub, encrypted (TLS from the first byte: %j)',
    async (secure) => {
      await settings.setSmtp(await listen({ secure }), 'open sesame');
      await bench.configure(
        onReadings('hot <tank>', [{ operator: 'gt', value: { cpu: 50 } }], [email('ann@example.com')]),
      );
      await bench.happen(bench.readingsCame({ cpu: 51, name: '<b>&' }));
      expect(await only()).toMatchObject({ state: 'delivered', failure: '' });
      const [mail] = mails;
      expect(mail).toMatchObject({ from: 'hub@example.com', to: ['ann@example.com'], isEncrypted: true, user: 'hub' });
      const text = (mail?.text ?? '').replace(/=\r\n/g, '');
      expect(text).toMatch(/^Subject: press: hot <tank>\r$/m);
      expect(text).toContain(`Message-ID: <${(await only())?.id}@example.com>`);
      expect(text).toMatch(/^Auto-Submitted: auto-generated\r$/m);
      expect(text).toContain('Content-Type: text/plain');
      expect(text).toContain('Content-Type: text/html');
      const { request } = (await only()) ?? { request: '' };
      const stored = JSON.parse(request) as { text: string; html: string };
      expect(stored.text).toContain('Reading: {"cpu":51,"name":"<b>&"}');
      expect(stored.text).toContain('Condition: cpu gt 50: found 51');
      expect(stored.html).toContain('{&quot;cpu&quot;:51,&quot;name&quot;:&quot;&lt;b&gt;&amp;&quot;}');
      expect(stored.html).not.toContain('<b>');
    },
  );

  it('says so if it is late', async () => {
    await settings.setSmtp(await listen(), 'open sesame');
    await bench.configure(trigger('gone', 'part_offline', [email('ann@example.com')]));
    await bench.happen(bench.away(bench.clock.now() - 3_600_000));
    expect(await only()).toMatchObject({ state: 'delivered', is_late: 1 });
    expect(mails[0]?.text).toMatch(/^Subject: press: gone \(late\)\r$/m);
    expect((JSON.parse((await only())?.request ?? '') as { text: string }).text).toContain(
      'Late: The hub noticed this at 2026-06-01T12:00:00.000Z, not when it happened.',
    );
  });

  it('waits until a mail server is set', async () => {
    await bench.configure(trigger('t', 'part_online', [email('ann@example.com')]));
    await bench.happen(bench.online());
    expect(await only()).toMatchObject({
      state: 'queued',
      failure: expect.stringContaining('no mail server') as string,
    });
    await settings.setSmtp(await listen(), 'open sesame');
    await bench.deliveries.retryMail(bench.age());
    bench.triggers.worker.wake();
    await bench.triggers.worker.idle();
    expect(mails).toHaveLength(1);
  });

  it.each<[string, SMTPServerOptions, string]>([
    ['a server without STARTTLS', { hideSTARTTLS: true, disabledCommands: ['STARTTLS'] }, 'open sesame'],
    ['a wrong password', {}, 'sesame'],
  ])('is not sent to %s', async (_what, options, password) => {
    await settings.setSmtp(await listen(options), password);
    await bench.configure(trigger('t', 'part_online', [email('ann@example.com')]));
    await bench.happen(bench.online());
    expect(mails).toEqual([]);
    expect(await only()).toMatchObject({ state: 'queued', attempts: 1 });
    expect((await only())?.failure).toContain('did not take the mail');
  });

  it('is not sent to a server with an untrusted certificate', async () => {
    await settings.setSmtp({ ...(await listen()), authority: '' }, 'open sesame');
    await bench.configure(trigger('t', 'part_online', [email('ann@example.com')]));
    await bench.happen(bench.online());
    expect(mails).toEqual([]);
    expect(await only()).toMatchObject({ state: 'queued', attempts: 1 });
  });

  it('is given up if the server rejects the address, and retried after a temporary refusal', async () => {
    const refuse = (code: number): SMTPServerOptions => ({
      onRcptTo: (_address, _session, callback) => callback(Object.assign(new Error('no'), { responseCode: code })),
    });
    await bench.configure(trigger('t', 'part_online', [email('ann@example.com')]));
    await settings.setSmtp(await listen(refuse(450)), 'open sesame');
    await bench.happen(bench.online());
    expect(await only()).toMatchObject({ state: 'queued' });
    await new Promise<void>((resolve) => server?.close(() => resolve()));
    await settings.setSmtp(await listen(refuse(550)), 'open sesame');
    await bench.deliveries.retryMail(bench.age());
    bench.triggers.worker.wake();
    await bench.triggers.worker.idle();
    const found = await only();
    expect(found?.state).toBe('dead');
    expect(JSON.parse(found?.response ?? '')).toMatchObject({ status: 550 });
  });

  it('keeps the password separately, and only for the same host and user', async () => {
    const smtp = { ...(await listen()), authority: '' };
    await settings.setSmtp(smtp, 'open sesame');
    expect(JSON.stringify(await settings.smtp())).not.toContain('sesame');
    await settings.setSmtp({ ...smtp, sender: 'other@example.com' }, undefined);
    expect(await settings.smtpPassword()).toBe('open sesame');
    await settings.setSmtp({ ...smtp, host: 'elsewhere.example' }, undefined);
    expect(await settings.smtpPassword()).toBe('');
    await settings.setSmtp(smtp, 'open sesame');
    await settings.setSmtp(undefined, undefined);
    expect([await settings.smtp(), await settings.smtpPassword()]).toEqual([undefined, '']);
  });

  it.each([[{ host: 'a b' }], [{ port: 0 }], [{ port: 65_536 }], [{ sender: 'hub' }], [{ sender: 'a@b\nBcc: x@y' }]])(
    'refuses %j',
    async (wrong) => {
      const smtp: SmtpSettings = {
        host: 'mail.example.com',
        port: 587,
        security: 'starttls',
        user: '',
        sender: 'hub@example.com',
        authority: '',
      };
      await expect(settings.setSmtp({ ...smtp, ...wrong }, '')).rejects.toMatchObject({ code: 'call.bad_argument' });
    },
  );
});
