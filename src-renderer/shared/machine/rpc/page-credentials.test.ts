import { describe, expect, it } from 'vitest';
import type { LinkState } from '../../../link/link.ts';
import { PageCredentials } from './page-credentials.ts';

function storage(kept: Readonly<Record<string, string>> = {}) {
  const texts = new Map(Object.entries(kept));
  return {
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, value: string) => void texts.set(key, value),
    removeItem: (key: string) => void texts.delete(key),
  };
}

/** A server that remembers browsers, and a page of it. */
function pageOf({ href = 'http://localhost:8080/', key = '', isAllowed = true, known = [] as string[] } = {}) {
  let state: ((state: LinkState) => void) | undefined;
  let reconnects = 0;
  const window = {
    location: { href },
    history: {
      state: null,
      replaceState: (_state: unknown, _unused: string, url: string) => (window.location.href = url),
    },
    sessionStorage: storage(),
    localStorage: storage(key === '' ? {} : { 'armature.browser-key': key }),
    navigator: { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0' },
  };
  const credentials = new PageCredentials(window, undefined, () => void reconnects++);
  const browsers = credentials.follow((listener) => (state = listener), {
    list: () => Promise.resolve(known.map((id) => ({ id, name: '', createdAt: 0, usedAt: 0 }))),
    forget: (id) => Promise.resolve(void known.splice(known.indexOf(id), 1)),
    remember: async (name) => {
      if (!isAllowed) throw new Error('denied');
      expect(name).toBe('Firefox on Linux');
      await Promise.resolve();
      known.push('new');
      return 'page.new.secret';
    },
  });
  return {
    window,
    credentials,
    browsers,
    known,
    reconnects: () => reconnects,
    async is(kind: 'open' | 'refused'): Promise<void> {
      state?.(kind === 'open' ? { kind } : { kind, reason: '' });
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    },
  };
}

describe('the credentials of a page', () => {
  it('that was opened with the launch token become a key, which outlives the tab', async () => {
    const page = pageOf({ href: 'http://localhost:8080/#token=launch' });
    expect(page.credentials.current).toBe('launch');
    await page.is('open');
    expect(page.credentials.current).toBe('page.new.secret');
    expect(page.reconnects()).toBe(0);
    expect(page.window.sessionStorage.getItem('armature.token')).toBeNull();
    expect(pageOf({ key: page.window.localStorage.getItem('armature.browser-key') ?? '' }).credentials.current).toBe(
      'page.new.secret',
    );
    expect(page.browsers.ownId()).toBe('new');
  });

  it('a list that is asked for while the server remembers the browser has it', async () => {
    const page = pageOf({ href: 'http://localhost:8080/#token=launch' });
    const opening = page.is('open');
    expect((await page.browsers.list()).map(({ id }) => id)).toEqual(['new']);
    await opening;
  });

  it('a key that the server knows is used again; one of another server is replaced', async () => {
    const href = 'http://localhost:8080/#token=launch';
    const again = pageOf({ href, key: 'page.old.secret', known: ['old'] });
    await again.is('open');
    expect(again.credentials.current).toBe('page.old.secret');
    expect(again.known).toEqual(['old']);
    const other = pageOf({ href, key: 'page.old.secret' });
    await other.is('open');
    expect(other.credentials.current).toBe('page.new.secret');
  });

  it('without a key of the server, the token stays; back and forward do not lose it', async () => {
    const page = pageOf({ href: 'http://localhost:8080/#token=launch', isAllowed: false });
    await page.is('open');
    expect(page.credentials.current).toBe('launch');
    page.credentials.readAddress();
    expect([page.credentials.current, page.reconnects()]).toEqual(['launch', 0]);
  });

  it('a refused token gives way to the key, once', async () => {
    const page = pageOf({ href: 'http://localhost:8080/#token=stale', key: 'page.old.secret' });
    await page.is('refused');
    expect([page.credentials.current, page.reconnects()]).toEqual(['page.old.secret', 1]);
    await page.is('refused');
    expect(page.reconnects()).toBe(1);
  });

  it('forgotten here, the page has none; another browser of the list changes nothing here', async () => {
    const page = pageOf({ key: 'page.old.secret', known: ['old', 'phone'] });
    await page.browsers.forget('phone');
    expect([page.credentials.current, page.reconnects()]).toEqual(['page.old.secret', 0]);
    await page.browsers.forget('old');
    expect([page.credentials.current, page.reconnects(), page.browsers.ownId()]).toEqual([undefined, 1, undefined]);
  });
});
