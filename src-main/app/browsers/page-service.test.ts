import { describe, expect, it } from 'vitest';
import { ArmatureError } from '../../base/errors.ts';
import type { ServerCall } from '../../rpc/call.ts';
import type { Principal } from '../../rpc/principal.ts';
import { pageService } from './page-service.ts';

const browser = { id: 'abcdefghijkl', name: 'Firefox', createdAt: 1_000, usedAt: 2_000 };

function call(kind: Principal['kind'] = 'launch-token', transport = 'channel'): ServerCall {
  return { principal: { kind, entity: kind }, connection: { transport } } as unknown as ServerCall;
}

function service(isOwn = true) {
  const bound: string[] = [];
  const handlers = pageService(
    {
      remember: () => Promise.resolve({ browser, key: 'key' }),
      list: () => Promise.resolve([browser]),
      forget: (id) => Promise.resolve(id === browser.id),
    },
    (_connection, { id }) => void bound.push(id),
    () => Promise.resolve(isOwn),
  );
  return { ...(handlers as Required<typeof handlers>), bound };
}

const codeOf = async (answer: unknown): Promise<string> => {
  const thrown: unknown = await Promise.resolve(answer).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return thrown instanceof ArmatureError ? thrown.code : '';
};

describe('PageService', () => {
  it('remembers the browser of a channel, and binds the channel to it', async () => {
    const { rememberBrowser, bound } = service();
    expect(await rememberBrowser({ name: 'Firefox' }, call())).toEqual({
      browser: { id: browser.id, name: 'Firefox', created: new Date(1_000), lastUsed: new Date(2_000) },
      key: 'key',
    });
    expect(bound).toEqual([browser.id]);
  });

  it.each([
    ['of another user or computer', service(false), call()],
    ['that calls without a channel', service(), call('launch-token', 'grpc-web')],
    ['with an API key', service(), call('api-key')],
    ['over loopback without proof', service(), call('loopback')],
  ])('refuses a caller %s', async (_what, { rememberBrowser, bound }, caller) => {
    expect(await codeOf(rememberBrowser({ name: 'Firefox' }, caller))).toBe('access.denied');
    expect(bound).toEqual([]);
  });

  it.each(['', '  ', 'a'.repeat(81), 'two\nlines'])('refuses the name %j', async (name) => {
    expect(await codeOf(service().rememberBrowser({ name }, call()))).toBe('call.bad_argument');
  });

  it('lists and forgets for the person at the page alone', async () => {
    const { listBrowsers, forgetBrowser } = service();
    expect((await listBrowsers({}, call())).browsers.map(({ id }) => id)).toEqual([browser.id]);
    expect(await codeOf(listBrowsers({}, call('api-key')))).toBe('access.denied');
    expect(await forgetBrowser({ id: browser.id }, call('user'))).toEqual({});
    expect(await codeOf(forgetBrowser({ id: 'other' }, call()))).toBe('call.not_found');
    expect(await codeOf(forgetBrowser({ id: browser.id }, call('api-key')))).toBe('access.denied');
  });
});
