import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  Delivery_State,
  MailServer_Security,
  TriggerServiceDefinition,
  type DryRunResponse,
} from '../../../../proto/gen/core/hub/v1/trigger.ts';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import { ManualClock } from '../../../base/clock.ts';
import { StatusCode } from '../../../base/status.ts';
import type { RequestOf, ResponseOf } from '../../../rpc/service.ts';
import { testStores } from '../../storage/testing/test-stores.ts';
import { FakePart } from '../../testing/fake-part.ts';
import { TestHub, type AppCall } from '../../testing/test-hub.ts';
import { OVERLAP_MS } from '../delivery/webhook/webhook-secrets.ts';
import { Receiver } from '../testing/receiver.ts';
import { onReadings, trigger, webhook } from '../testing/trigger-bench.ts';

type Methods = (typeof TriggerServiceDefinition)['methods'];

const { NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT } = StatusCode;

describe.each(testStores)('TriggerService on $name', (kind) => {
  let clock: ManualClock;
  let test: TestHub;
  let owner: AppCall;
  let token: string;
  let partId: string;
  let receiver: Receiver;

  beforeEach(async () => {
    clock = new ManualClock(Date.UTC(2026, 5, 1));
    test = await TestHub.open(kind, clock);
    owner = await test.asOwner();
    token = await test.logIn(test.first.ownerKey);
    partId = (await owner('getRobotParts', { robotId: test.first.machineId })).parts[0]?.id ?? '';
    receiver = await Receiver.listen();
    // A standalone hub does not send to this computer by default.
    await call('setAllowedNetworks', { networks: ['127.0.0.0/8'] });
  });

  afterEach(async () => {
    await test.end();
    await receiver.close();
  });

  function call<K extends keyof Methods>(
    method: K,
    request: Partial<RequestOf<Methods[K]>>,
    of: string = token,
  ): Promise<ResponseOf<Methods[K]>> {
    return test.call(TriggerServiceDefinition, method, request, { token: of });
  }

  async function configure(...triggers: readonly unknown[]): Promise<void> {
    await owner('updateRobotPart', { id: partId, name: '', robotConfigJson: JSON.stringify({ triggers }) });
  }

  const keyWith = async (authorizationId: string, resourceId: string): Promise<string> => {
    const resourceType = authorizationId.split('_')[0] ?? '';
    const authorization = { authorizationType: 'role', authorizationId, resourceType, resourceId };
    const rest = { identityId: '', organizationId: '', identityType: '' };
    const made = await owner('createKey', { name: 'k', authorizations: [{ ...authorization, ...rest }] });
    return test.logIn({ id: made.id, secret: made.key });
  };

  const dryRun = (one: unknown, reading: unknown): Promise<DryRunResponse> =>
    call('dryRun', {
      partId,
      trigger: JSON.stringify(one),
      reading: reading === undefined ? '' : JSON.stringify(reading),
    });

  /** Connects the part; settles when the receiver has got the notification. */
  const comeOnline = async (): Promise<void> => {
    FakePart.connect(test, token, { partId });
    // The presence is stored when the clock moves on.
    await expect.poll(() => (clock.advance(1), receiver.requests.length)).toBe(1);
  };

  /** The delivery, as soon as it is finished. */
  const over = async (id: string) => {
    for (;;) {
      const answer = await call('getDelivery', { id });
      if (answer.delivery?.state !== Delivery_State.QUEUED) return answer;
    }
  };

  it('a part that comes online fires its trigger', async () => {
    await configure(trigger('up', 'part_online', [webhook(receiver.url)]));
    await comeOnline();
    const { deliveries } = await call('listDeliveries', { partId });
    expect(deliveries).toMatchObject([
      { trigger: 'up', eventType: 'part_online', type: 'webhook', target: receiver.url },
    ]);
    const { request, response } = await over(deliveries[0]?.id ?? '');
    expect(request?.request).toMatchObject({ $case: 'webhook', value: { method: 'GET', url: receiver.url, body: '' } });
    expect(response).toMatchObject({ status: 200, body: 'ok', cut: false });
    const { triggers } = await call('listTriggers', { partId });
    expect(triggers).toMatchObject([
      {
        name: 'up',
        usable: true,
        eventType: 'part_online',
        evaluated: 1n,
        fired: 1n,
        targets: [{ queued: 1n, dropped: 0n }],
      },
    ]);
    expect(triggers[0]?.evaluations).toMatchObject([{ reason: '' }]);
  });

  it('lists triggers that cannot be used, with the reason', async () => {
    await configure({ ...(trigger('t', 'part_onlin', [webhook(receiver.url)]) as object), disabled: true });
    const { triggers } = await call('listTriggers', { partId });
    expect(triggers).toMatchObject([{ name: 't', disabled: true, usable: false }]);
    expect(triggers[0]?.problems.map(({ code }) => code)).toContain('trigger.not_allowed');
  });

  it('sends a test at once, with one attempt, and gives the result', async () => {
    const evals = [{ operator: 'gt', value: { cpu: { load: 50 } } }];
    await configure(onReadings('hot', evals, [webhook(receiver.url, 3_600)]));
    const { deliveryId } = await call('sendTest', { partId, trigger: 'hot' });
    const { delivery, response } = await over(deliveryId);
    expect(delivery).toMatchObject({ state: Delivery_State.DELIVERED, test: true });
    expect(response?.status).toBe(200);
    expect(JSON.parse(receiver.requests[0]?.body ?? '')).toMatchObject({
      component_name: 'tank',
      trigger_condition: { evals },
      data: { data: { cpu: { load: 50 } } },
    });
    receiver.answer = (_request, answer) => answer.writeHead(500).end('no');
    const second = await over((await call('sendTest', { partId, trigger: 'hot', target: receiver.url })).deliveryId);
    expect(second.delivery).toMatchObject({ state: Delivery_State.DEAD, attempts: 1, responseStatus: 500 });
    // Tests do not count for limits and counters.
    expect((await call('listTriggers', { partId })).triggers).toMatchObject([{ fired: 0n, targets: [{ queued: 0n }] }]);
  });

  it('sends a dead delivery again, as the same message', async () => {
    await configure(trigger('up', 'part_online', [webhook(receiver.url)]));
    receiver.answer = (_request, answer) => answer.writeHead(410).end();
    await comeOnline();
    const id = (await call('listDeliveries', { partId })).deliveries[0]?.id ?? '';
    expect((await over(id)).delivery?.state).toBe(Delivery_State.DEAD);
    receiver.answer = (_request, answer) => answer.end();
    await call('replay', { id });
    expect((await over(id)).delivery?.state).toBe(Delivery_State.DELIVERED);
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
  });

  it('lists deliveries in pages, by trigger and by state', async () => {
    await configure(
      trigger('a', 'part_online', [webhook(receiver.url)]),
      trigger('b', 'part_online', [webhook(receiver.url)]),
    );
    const made: string[] = [];
    for (const name of ['a', 'b', 'a', 'b', 'a']) {
      made.push((await call('sendTest', { partId, trigger: name })).deliveryId);
      await over(made.at(-1) ?? '');
    }
    const first = await call('listDeliveries', { partId, limit: 2 });
    const second = await call('listDeliveries', { partId, limit: 2, pageToken: first.nextPageToken });
    const third = await call('listDeliveries', { partId, limit: 2, pageToken: second.nextPageToken });
    const seen = [...first.deliveries, ...second.deliveries, ...third.deliveries].map(({ id }) => id);
    expect(seen).toEqual(made.toReversed());
    expect(third.nextPageToken).toBe('');
    expect((await call('listDeliveries', { partId, trigger: 'b' })).deliveries).toHaveLength(2);
    expect((await call('listDeliveries', { partId, state: Delivery_State.DELIVERED })).deliveries).toHaveLength(5);
    expect((await call('listDeliveries', { partId, state: Delivery_State.DEAD })).deliveries).toEqual([]);
    await expect(call('listDeliveries', { partId, pageToken: 'x' })).rejects.toMatchObject({ code: INVALID_ARGUMENT });
  });

  it('evaluates a trigger for a given reading, and sends nothing', async () => {
    const evals: JsonValue[] = [
      { operator: 'gt', value: { cpu: 50 } },
      { operator: 'eq', value: { state: 'on' } },
    ];
    const notifications = [webhook(receiver.url), { type: 'email', value: 'ann@example.com' }];
    const one = onReadings('hot', evals, notifications);
    const fired = await dryRun(one, { readings: { cpu: 51, state: 'on' } });
    expect(fired).toMatchObject({ fires: true, reason: '', conditions: [{ holds: true }, { holds: true }] });
    expect(fired.requests.map(({ request }) => request?.$case)).toEqual(['webhook', 'mail']);
    const [first] = fired.requests;
    const sent = first?.request?.$case === 'webhook' ? first.request.value : undefined;
    expect(sent).toMatchObject({ method: 'POST', url: receiver.url, headers: { 'Part-Id': partId } });
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({
      component_type: 'sensor',
      data: { data: { cpu: 51, state: 'on' } },
    });
    expect(fired.problems.map(({ code }) => code)).toContain('trigger.no_component');

    const not = await dryRun(one, { cpu: 51, state: 'off' });
    expect(not).toMatchObject({ fires: false, reason: 'state: "off" is not "on"', requests: [] });
    expect(not.conditions).toMatchObject([
      { path: ['cpu'], operator: 'gt', expected: '50', found: '51', holds: true },
      { path: ['state'], found: '"off"', holds: false },
    ]);
    expect(await dryRun(trigger('up', 'part_offline', notifications), undefined)).toMatchObject({ fires: true });
    expect(await dryRun({ name: 'x' }, undefined)).toMatchObject({ fires: false, requests: [] });
    await expect(call('dryRun', { partId, trigger: '{', reading: '' })).rejects.toMatchObject({
      code: INVALID_ARGUMENT,
    });
    expect(receiver.requests).toEqual([]);
    expect((await call('listDeliveries', { partId })).deliveries).toEqual([]);
  });

  it('counts how often a trigger would have fired, whether the part has it or not', async () => {
    await configure(trigger('up', 'part_online', [webhook(receiver.url)]));
    await comeOnline();
    const ask = (one: unknown, more: object = {}) =>
      call('countFirings', { partId, trigger: JSON.stringify(one), ...more });
    const another = trigger('other', 'part_online', [webhook(receiver.url, 60)]);
    const counted = await ask(another);
    expect(counted).toMatchObject({ evaluated: 1n, fired: 1n, cutOff: undefined });
    expect(counted.targets).toMatchObject([{ type: 'webhook', value: receiver.url, notifications: 1n, dropped: 0n }]);
    expect(counted.firings).toHaveLength(1);
    expect(Number(counted.to) - Number(counted.from)).toBe(24 * 60 * 60 * 1_000);
    expect(await ask({ name: 'x' })).toMatchObject({ evaluated: 0n, firings: [] });
    expect((await ask({ name: 'x' })).problems.map(({ code }) => code)).toContain('trigger.missing');
    await expect(ask(another, { seconds: 8 * 24 * 60 * 60 })).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    expect(receiver.requests).toHaveLength(1);
  });

  it('returns the secret of a webhook only once, when it is created', async () => {
    await configure(trigger('up', 'part_online', [webhook(receiver.url)]));
    const first = await call('rotateSecret', { partId, url: receiver.url });
    expect(first.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(first.previousUntil).toBeUndefined();
    const second = await call('rotateSecret', { partId, url: receiver.url });
    expect(second.secret).not.toBe(first.secret);
    expect(second.previousUntil).toEqual(new Date(clock.now() + OVERLAP_MS));
    await over((await call('sendTest', { partId, trigger: 'up' })).deliveryId);
    expect(String(receiver.requests[0]?.headers['webhook-signature']).split(' ')).toHaveLength(2);
    await expect(call('rotateSecret', { partId, url: 'http://other.example/' })).rejects.toMatchObject({
      code: NOT_FOUND,
    });
  });

  it('operators may read, owners may change, and others find nothing', async () => {
    await configure(trigger('up', 'part_online', [webhook(receiver.url)]));
    const id = (await call('sendTest', { partId, trigger: 'up' })).deliveryId;
    await over(id);
    const operator = await keyWith('robot_operator', test.first.machineId);
    const { organization } = await owner('createOrganization', { name: 'Other' });
    const stranger = await keyWith('organization_owner', organization?.id ?? '');
    const seeing = [
      (of: string) => call('listTriggers', { partId }, of),
      (of: string) => call('listDeliveries', { partId }, of),
      (of: string) => call('getDelivery', { id }, of),
      (of: string) => call('dryRun', { partId, trigger: '{}', reading: '' }, of),
      (of: string) => call('countFirings', { partId, trigger: '{}' }, of),
    ];
    const doing = [
      (of: string) => call('replay', { id }, of),
      (of: string) => call('sendTest', { partId, trigger: 'up' }, of),
      (of: string) => call('rotateSecret', { partId, url: receiver.url }, of),
    ];
    for (const see of seeing) {
      await expect(see(operator)).resolves.toBeDefined();
      await expect(see(stranger)).rejects.toMatchObject({ code: NOT_FOUND });
    }
    for (const act of doing) {
      await expect(act(operator)).rejects.toMatchObject({ code: PERMISSION_DENIED });
      await expect(act(stranger)).rejects.toMatchObject({ code: NOT_FOUND });
    }
    await expect(call('getDelivery', { id: 'msg_none' })).rejects.toMatchObject({ code: NOT_FOUND });
  });

  describe('the settings of the hub', () => {
    const mailServer = {
      host: 'mail.example.com',
      port: 587,
      security: MailServer_Security.STARTTLS,
      user: 'hub',
      sender: 'hub@example.com',
      authority: '',
    };

    it('are stored, and never return the password', async () => {
      await call('setMailServer', { mailServer, password: 'open sesame' });
      await call('setAllowedNetworks', { networks: ['169.254.0.0/16'] });
      const settings = await call('getSettings', {});
      expect(settings).toEqual({ mailServer, allowedNetworks: ['169.254.0.0/16'] });
      await call('setMailServer', {});
      expect((await call('getSettings', {})).mailServer).toBeUndefined();
      await expect(call('setAllowedNetworks', { networks: ['all'] })).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    });

    it('include a test mail, which says why it was not accepted', async () => {
      const { port } = receiver;
      await receiver.close();
      await call('setMailServer', { mailServer: { ...mailServer, host: '127.0.0.1', port } });
      const { failure } = await call('testMailServer', { to: 'ann@example.com' });
      receiver = await Receiver.listen();
      expect(failure).toContain(`The mail server 127.0.0.1:${port} did not take the mail`);
    });

    it('are for owners of the first organization alone', async () => {
      const { organization } = await owner('createOrganization', { name: 'Other' });
      const keys = [
        await keyWith('organization_operator', test.first.organizationId),
        await keyWith('robot_owner', test.first.machineId),
        await keyWith('organization_owner', organization?.id ?? ''),
      ];
      for (const key of keys) {
        await expect(call('getSettings', {}, key)).rejects.toMatchObject({ code: PERMISSION_DENIED });
        await expect(call('setMailServer', { mailServer }, key)).rejects.toMatchObject({ code: PERMISSION_DENIED });
        await expect(call('testMailServer', { to: 'a@example.com' }, key)).rejects.toMatchObject({
          code: PERMISSION_DENIED,
        });
        await expect(call('setAllowedNetworks', {}, key)).rejects.toMatchObject({ code: PERMISSION_DENIED });
      }
    });
  });
});
