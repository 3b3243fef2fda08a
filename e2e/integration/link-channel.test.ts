/* eslint-disable armature/layers -- the page's client and the machine's channel must meet somewhere: here and nowhere else */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from '../../src-main/base/clock.ts';
import { silentLogger } from '../../src-main/base/logger.ts';
import { AccessControl } from '../../src-main/rpc/access/access-control.ts';
import { keyFromText, type AccessPolicy } from '../../src-main/rpc/access/access-policy.ts';
import { WebChecks } from '../../src-main/rpc/access/web-checks.ts';
import { WebSocketChannels } from '../../src-main/rpc/channel/websocket.ts';
import { echo, echoService } from '../../src-main/rpc/testing/echo-service.ts';
import { cancelled, FAIL, startTestMachine, WAIT, type TestMachine } from '../../src-main/rpc/testing/test-machine.ts';
import { createClient } from '../../src-renderer/link/client.ts';
import { Link, type LinkState } from '../../src-renderer/link/link.ts';
import { StatusCode } from '../../proto/status-code.ts';
import { channelUrl, webSocketConnector } from '../../src-renderer/link/connect/websocket-connector.ts';

const policy: AccessPolicy = {
  authEnabled: true,
  apiKeys: [keyFromText('key-1', 'secret-1')],
  launchToken: 'launch-token',
  fqdn: 'bench.local',
  hostnames: [],
  allowedOrigins: [],
  allowInsecureCreds: false,
};

let access: AccessControl;
let channels: WebSocketChannels;
let machine: TestMachine;
const links: Link[] = [];

beforeEach(async () => {
  access = new AccessControl(policy, systemClock, silentLogger, () => true);
  machine = await startTestMachine({
    webAccess: new WebChecks(access),
    onUpgrade: (request, socket, head) => void channels.handleUpgrade(request, socket, head),
    onPage: (request, response) => void channels.answerProbe(request, response),
  });
  machine.router.addInterceptor(access.interceptor);
  const options = { router: machine.router, admission: access, clock: new ManualClock(), logger: silentLogger };
  channels = new WebSocketChannels(options);
});

afterEach(async () => {
  for (const link of links.splice(0)) link.close();
  channels.close('the test is over');
  await machine.listener.close(0);
});

function openLink(token: string | undefined): Link {
  const url = channelUrl(`http://127.0.0.1:${machine.port}/`, '');
  const link = new Link(webSocketConnector({ url, token: () => token }), () => 0);
  links.push(link);
  return link;
}

function stateOf(link: Link, kind: LinkState['kind']): Promise<LinkState> {
  return new Promise((resolve) => {
    const unsubscribe = link.subscribe((state) => {
      if (state.kind !== kind) return;
      queueMicrotask(() => unsubscribe());
      resolve(state);
    });
  });
}

describe("the page's client and the machine's channel", () => {
  it('calls of all four kinds pass, with the launch token', async () => {
    const link = openLink('launch-token');
    await stateOf(link, 'open');
    const client = createClient(echoService, link);
    await expect(client.say(echo('left', 7))).resolves.toMatchObject({ name: 'left', count: 7 });
    const repeated: string[] = [];
    for await (const each of client.repeat(echo('left', 3))) repeated.push(each.name);
    expect(repeated).toEqual(['left0', 'left1', 'left2']);
    const requests = async function* () {
      for (let i = 0; i < 100; i++) yield echo('left', i, new Uint8Array(100_000));
    };
    await expect(client.collect(requests())).resolves.toMatchObject({ name: '10000000', count: 100 });
    let count = 0;
    for await (const each of client.chat(requests())) count += each.payload.length;
    expect(count).toBe(10_000_000);
  });

  it('errors keep their code; a deadline and a cancel reach the handler', async () => {
    const link = openLink('launch-token');
    await stateOf(link, 'open');
    const client = createClient(echoService, link);
    await expect(client.say(echo('nobody'))).rejects.toMatchObject({ code: StatusCode.NOT_FOUND });
    await expect(client.say(echo('left', FAIL))).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
    await expect(client.say(echo('left', WAIT), { timeoutMs: 30 })).rejects.toMatchObject({
      code: StatusCode.DEADLINE_EXCEEDED,
    });
    const controller = new AbortController();
    const entered = machine.resource.nextCall();
    const answer = client.say(echo('left', WAIT), { signal: controller.signal });
    answer.catch(() => undefined);
    const call = await entered;
    controller.abort();
    await cancelled(call);
    await expect(answer).rejects.toMatchObject({ code: StatusCode.CANCELLED });
  });

  it('a 10 MB answer does not block a small call', async () => {
    const link = openLink('launch-token');
    await stateOf(link, 'open');
    const client = createClient(echoService, link);
    const order: string[] = [];
    const large = client.say(echo('left', 1, new Uint8Array(10_000_000))).then(({ payload }) => {
      order.push('large');
      return payload.length;
    });
    await client.say(echo('left', 2)).then(() => order.push('small'));
    await expect(large).resolves.toBe(10_000_000);
    expect(order).toEqual(['small', 'large']);
  });

  it('without a token, or with a wrong one, the page hears why', async () => {
    for (const token of [undefined, 'wrong']) {
      const state = await stateOf(openLink(token), 'refused');
      expect(state.kind === 'refused' && state.reason).toMatch(/token/i);
    }
    expect(channels.count).toBe(0);
  });

  it('an API key opens a channel, and calls end when the key is removed', async () => {
    const link = openLink(access.issueToken('key-1'));
    await stateOf(link, 'open');
    const client = createClient(echoService, link);
    await expect(client.say(echo('left'))).resolves.toMatchObject({ name: 'left' });
    access.setPolicy({ ...policy, apiKeys: [] });
    await expect(client.say(echo('left'))).rejects.toMatchObject({ code: StatusCode.UNAUTHENTICATED });
    expect(link.state.kind).toBe('open');
  });

  it('the link comes back after the machine dropped it', async () => {
    const link = openLink('launch-token');
    await stateOf(link, 'open');
    channels.close('restart');
    await stateOf(link, 'lost');
    await stateOf(link, 'open');
    await expect(createClient(echoService, link).say(echo('left'))).resolves.toMatchObject({ name: 'left' });
  });
});
