import { createHmac } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ManualClock } from '../../../../base/clock.ts';
import { openTestStore, testStores } from '../../../storage/testing/test-stores.ts';
import { Receiver } from '../../testing/receiver.ts';
import { TriggerBench } from '../../testing/trigger-bench.ts';
import type { WebhookRequest } from '../stored-request.ts';
import { AddressRules, type AddressAllowance } from './address-rules.ts';
import { MAX_KEPT_BODY_BYTES, WebhookClient, type Resolve } from './webhook-client.ts';
import { OVERLAP_MS, WebhookSecrets } from './webhook-secrets.ts';
import { TIMEOUT_MS, WebhookSender, type SendAs } from './webhook-sender.ts';

const [sqlite] = testStores;

describe('a webhook request', () => {
  let bench: TriggerBench;
  let end: () => Promise<void>;
  let receiver: Receiver;
  let clock: ManualClock;
  let secrets: WebhookSecrets;
  let client: WebhookClient | undefined;
  let as: SendAs;

  beforeEach(async () => {
    if (sqlite === undefined) throw new Error('there is always SQLite');
    const opened = await openTestStore(sqlite);
    end = opened.end;
    bench = await TriggerBench.open(opened.store);
    ({ clock } = bench);
    secrets = new WebhookSecrets(opened.store, clock);
    receiver = await Receiver.listen();
    as = { id: 'msg_1', partId: bench.ids.part, targetKey: 'key', signal: new AbortController().signal };
  });

  afterEach(async () => {
    client?.close();
    await receiver.close();
    await bench.close();
    await end();
  });

  function sender(allowance: Partial<AddressAllowance> = {}, resolve?: Resolve): WebhookSender {
    const rules = new AddressRules({ loopback: true, networks: [], ...allowance });
    client = new WebhookClient({
      rules: () => rules,
      connectionsPerHost: 2,
      ...(resolve === undefined ? {} : { resolve }),
    });
    return new WebhookSender({ client, secrets, clock });
  }

  const post = (url: string, more: Partial<WebhookRequest> = {}): WebhookRequest => ({
    kind: 'webhook',
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/json' },
    body: '{"a":"ü"}',
    ...more,
  });

  it('is signed, and its answer is stored', async () => {
    receiver.answer = (_request, response) => response.writeHead(201, { 'X-Seen': 'yes' }).end('thanks');
    const result = await sender().send(post(receiver.url), as);
    expect(result).toMatchObject({
      kind: 'delivered',
      response: { status: 201, body: 'thanks', isCut: false, headers: { 'x-seen': 'yes' } },
    });
    const [request] = receiver.requests;
    const timestamp = String(Math.floor(clock.now() / 1_000));
    expect(request?.headers).toMatchObject({ 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp });
    const [secret = ''] = await secrets.signing(as.partId, 'key');
    const hmac = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'));
    const signed = hmac.update(`msg_1.${timestamp}.${request?.body}`).digest('base64');
    expect(request?.headers['webhook-signature']).toBe(`v1,${signed}`);
  });

  it('is signed with both secrets while one is being replaced', async () => {
    const [first = ''] = await secrets.signing(as.partId, 'key');
    const { secret, previousUntil } = await secrets.rotate(as.partId, 'key');
    expect(previousUntil).toBe(clock.now() + OVERLAP_MS);
    expect(await secrets.signing(as.partId, 'key')).toEqual([secret, first]);
    clock.advance(OVERLAP_MS);
    expect(await secrets.signing(as.partId, 'key')).toEqual([secret]);
    expect((await secrets.rotate(as.partId, 'other')).previousUntil).toBeUndefined();
  });

  it.each([
    [500, {}, undefined],
    [404, {}, undefined],
    [429, { 'Retry-After': '90' }, 90_000],
    [503, { 'Retry-After': '0' }, 0],
  ])('fails if it is answered with %i %j', async (status, headers, retryAfterMs) => {
    receiver.answer = (_request, response) => response.writeHead(status, headers).end('no');
    const result = await sender().send(post(receiver.url), as);
    expect(result).toMatchObject({
      kind: 'failed',
      reason: `The receiver answered ${status}.`,
      response: { body: 'no' },
    });
    expect(result.kind === 'failed' && result.retryAfterMs).toBe(retryAfterMs);
  });

  it('that is answered with 410 is not retried', async () => {
    receiver.answer = (_request, response) => response.writeHead(410).end();
    expect(await sender().send(post(receiver.url), as)).toMatchObject({ kind: 'failed', isFinal: true });
  });

  it('keeps the beginning of a long answer, and stops reading an endless one', async () => {
    receiver.answer = (_request, response) => response.end('x'.repeat(MAX_KEPT_BODY_BYTES + 1));
    const long = await sender().send(post(receiver.url), as);
    expect(long.response).toMatchObject({ body: 'x'.repeat(MAX_KEPT_BODY_BYTES), isCut: true });
    receiver.answer = (_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('y'.repeat(16_384)));
        response.once('drain', more);
      };
      more();
    };
    const endless = await sender().send(post(receiver.url), as);
    expect(endless).toMatchObject({
      kind: 'delivered',
      response: { body: 'y'.repeat(MAX_KEPT_BODY_BYTES), isCut: true },
    });
  });

  it('fails if the answer has endless headers', async () => {
    receiver.answer = (_request, response) => response.writeHead(200, { 'X-Long': 'x'.repeat(20_000) }).end();
    expect(await sender().send(post(receiver.url), as)).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('headers are too large') as string,
    });
  });

  it('waits for an answer no longer than the time limit', async () => {
    receiver.answer = () => undefined;
    const sending = sender().send(post(receiver.url), as);
    await receiver.until(1);
    clock.advance(TIMEOUT_MS);
    expect(await sending).toEqual({ kind: 'failed', reason: 'There was no whole answer within 15 s.' });
  });

  it('is aborted when the program ends', async () => {
    receiver.answer = () => undefined;
    const controller = new AbortController();
    const sending = sender().send(post(receiver.url), { ...as, signal: controller.signal });
    await receiver.until(1);
    controller.abort(new Error('closing'));
    await expect(sending).rejects.toThrow('closing');
  });

  it('fails if nobody listens', async () => {
    const { url } = receiver;
    await receiver.close();
    const result = await sender().send(post(url), as);
    receiver = await Receiver.listen();
    expect(result).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('nothing listens there') as string,
    });
  });

  describe('that is redirected', () => {
    const redirect = (status: number, location: string): void => {
      receiver.answer = ({ path }, response) =>
        path === '/hook' ? response.writeHead(status, { Location: location }).end() : response.end('there');
    };

    it.each([[307], [308]])('by %i within the host is followed unchanged', async (status) => {
      redirect(status, '/there');
      expect(await sender().send(post(receiver.url), as)).toMatchObject({
        kind: 'delivered',
        response: { body: 'there' },
      });
      expect(receiver.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
        ['POST', '/hook', '{"a":"ü"}'],
        ['POST', '/there', '{"a":"ü"}'],
      ]);
    });

    it('by 302 is followed for a GET, and fails for a POST, which would lose its body', async () => {
      redirect(302, '/there');
      const get = post(receiver.url, { method: 'GET', body: '' });
      expect((await sender().send(get, as)).kind).toBe('delivered');
      expect((await sender().send(post(receiver.url), as)).kind).toBe('failed');
    });

    it('in a loop fails', async () => {
      receiver.answer = (_request, response) => response.writeHead(307, { Location: '/hook' }).end();
      expect((await sender().send(post(receiver.url), as)).kind).toBe('failed');
      expect(receiver.requests).toHaveLength(4);
    });

    it.each([
      ['http://169.254.169.254/latest/meta-data/'],
      ['//169.254.169.254/'],
      ['http://localhost:1/'],
      ['http://example.com/'],
      ['http://user@127.0.0.1/'],
      ['file:///etc/passwd'],
      ['http://['],
    ])('to %s is not followed', async (location) => {
      redirect(307, location);
      const result = await sender().send(post(receiver.url), as);
      expect(result).toMatchObject({ kind: 'failed', response: { status: 307 } });
      expect(receiver.requests).toHaveLength(1);
    });

    it('to another port of the host is not followed', async () => {
      const other = await Receiver.listen();
      redirect(307, other.url);
      expect((await sender().send(post(receiver.url), as)).kind).toBe('failed');
      expect(other.requests).toHaveLength(0);
      await other.close();
    });
  });

  describe('to a forbidden address', () => {
    const found = (...addresses: string[]): LookupAddress[] =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

    it.each([
      ['http://127.1/'],
      ['http://2130706433/'],
      ['http://0x7f000001/'],
      ['http://017700000001/'],
      ['http://[::1]/'],
      ['http://[::ffff:127.0.0.1]/'],
      ['http://[::ffff:7f00:1]/'],
      ['http://[64:ff9b::127.0.0.1]/'],
      ['http://0/'],
      ['http://169.254.169.254/'],
      ['http://2852039166/'],
      ['http://[::ffff:a9fe:a9fe]/'],
      ['http://[fd00:ec2::254]/'],
      ['http://metadata.google.internal/'],
      ['http://metadata/computeMetadata/v1/'],
      ['http://example.com%2f@169.254.169.254/'],
      ['http://example.com\\@169.254.169.254/'],
      ['http://１６９.254.169.254/'],
    ])('%s is not sent by a standalone hub', async (url) => {
      let isAsked = false;
      const resolve: Resolve = (hostname) => {
        // Called only for real names: addresses, however they are written, need no look-up.
        isAsked = true;
        return Promise.resolve(found(hostname === 'example.com' ? '169.254.169.254' : '127.0.0.1'));
      };
      const result = await sender({ loopback: false }, resolve).send(post(url), as);
      expect(result.kind, url).toBe('failed');
      expect(result.kind === 'failed' && result.reason).toMatch(/never|this computer|no address/);
      expect(isAsked).toBe(new URL(url).hostname === 'example.com');
      expect(receiver.requests).toHaveLength(0);
    });

    it.each([
      ['10.0.0.1', false],
      ['::ffff:10.0.0.1', false],
      ['127.0.0.1', true],
      ['::1', true],
      ['169.254.169.254', true],
      ['fd00:ec2::254', true],
      ['0.0.0.0', true],
    ])('a name with the address %s is judged by the address', async (address, isRefused) => {
      const rules = new AddressRules({ loopback: false, networks: [] });
      expect(rules.faultOf(address) !== undefined).toBe(isRefused);
      if (!isRefused) return;
      const result = await sender({ loopback: false }, () => Promise.resolve(found(address))).send(
        post('http://hook.example/'),
        as,
      );
      expect(result).toMatchObject({ kind: 'failed', reason: expect.stringContaining(address) as string });
    });

    it('a name is looked up once for a connection, and the checked address is used', async () => {
      // A second look-up, for which a rebinding name would give another address, never happens.
      const answers = [found('127.0.0.1'), found('169.254.169.254')];
      let asked = 0;
      const resolve: Resolve = () => Promise.resolve(answers[asked++] ?? []);
      const webhooks = sender({}, resolve);
      const url = `http://rebinding.example:${receiver.port}/hook`;
      receiver.answer = (_request, response) => response.writeHead(200, { Connection: 'close' }).end();
      expect((await webhooks.send(post(url), as)).kind).toBe('delivered');
      expect(asked).toBe(1);
      const second = await webhooks.send(post(url), as);
      expect(second).toMatchObject({ kind: 'failed', reason: expect.stringContaining('169.254.169.254') as string });
      expect(receiver.requests).toHaveLength(1);
    });

    it('of several addresses of a name only the allowed ones are tried', async () => {
      const resolve: Resolve = () => Promise.resolve(found('169.254.169.254', '127.0.0.1'));
      const result = await sender({}, resolve).send(post(`http://two.example:${receiver.port}/hook`), as);
      expect(result.kind).toBe('delivered');
      expect(receiver.requests[0]?.headers.host).toBe(`two.example:${receiver.port}`);
    });

    it('an allowed network is reached', async () => {
      const allowed = sender({ loopback: false, networks: ['127.0.0.0/8'] });
      expect((await allowed.send(post(receiver.url), as)).kind).toBe('delivered');
    });
  });
});
