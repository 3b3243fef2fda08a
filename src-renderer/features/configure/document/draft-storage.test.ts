import { describe, expect, it } from 'vitest';
import type { ConfigDocument } from '../../../shared/machine/machine-view.ts';
import { restored, type StoredDraft } from './config-draft.ts';
import { DraftStorage, type WindowLocks } from './draft-storage.ts';

const draft = (text: string): StoredDraft => ({ baseText: 'old', baseRevision: '1', text });

function storage(): Storage {
  const kept: Record<string, string> = {};
  const methods = {
    getItem: (key: string): string | null => kept[key] ?? null,
    setItem: (key: string, text: string): void => void (kept[key] = text),
    removeItem: (key: string): void => void delete kept[key],
  };
  // Object.keys must give only the stored keys, not the methods.
  return new Proxy(kept, {
    get: (target, key) => (key in methods ? methods[key as keyof typeof methods] : target[String(key)]),
  }) as unknown as Storage;
}

/** Locks of one browser. A window holds its lock until it releases it or is closed; later requests wait. */
function browser(): { locks(): WindowLocks; leave(locks: WindowLocks): void } {
  const queues = new Map<string, { readonly owner: WindowLocks; readonly grant: () => void }[]>();
  const remove = (name: string, owner: WindowLocks): void => {
    const queue = queues.get(name) ?? [];
    const [first] = queue;
    const left = queue.filter((one) => one.owner !== owner);
    queues.set(name, left);
    if (left[0] !== first) left[0]?.grant();
  };
  const names = (of: (queue: readonly unknown[]) => readonly unknown[]): { readonly name: string }[] =>
    [...queues].flatMap(([name, queue]) => of(queue).map(() => ({ name })));
  return {
    locks() {
      const own = {
        request: (name: string, { signal }: LockOptions, run: (lock: Lock) => Promise<unknown>) =>
          new Promise((resolve, reject) => {
            const grant = (): void => {
              void run({ name, mode: 'exclusive' }).then(() => {
                remove(name, own);
                resolve(undefined);
              });
            };
            const queue = queues.get(name) ?? [];
            queues.set(name, [...queue, { owner: own, grant }]);
            if (queue.length === 0) grant();
            signal?.addEventListener('abort', () => {
              if (queues.get(name)?.[0]?.owner === own) return;
              remove(name, own);
              reject(new DOMException('aborted', 'AbortError'));
            });
          }),
        query: async () => ({ held: names((queue) => queue.slice(0, 1)), pending: names((queue) => queue.slice(1)) }),
      } as unknown as WindowLocks;
      return own;
    },
    leave: (locks) => [...queues.keys()].forEach((name) => remove(name, locks)),
  };
}

async function opened(local: Storage, session: Storage, locks?: WindowLocks): Promise<DraftStorage> {
  const drafts = new DraftStorage(
    () => local,
    () => session,
    locks,
  );
  await drafts.open();
  return drafts;
}

describe('kept drafts', () => {
  it('of two open windows are stored separately, and each is found again after a reload', async () => {
    const [local, session, other] = [storage(), storage(), storage()];
    const { locks, leave } = browser();
    const first = locks();
    (await opened(local, session, first)).save('m', draft('mine'));
    const second = locks();
    const beside = await opened(local, other, second);
    expect(beside.load('m')).toBeUndefined();
    beside.save('m', draft('theirs'));
    leave(first);
    leave(second);
    expect((await opened(local, session, locks())).load('m')?.text).toBe('mine');
    expect((await opened(local, other, locks())).load('m')?.text).toBe('theirs');
  });

  it('of a closed window are taken over by one other window', async () => {
    const local = storage();
    const { locks, leave } = browser();
    const gone = locks();
    (await opened(local, storage(), gone)).save('m', draft('mine'));
    leave(gone);
    const next = await opened(local, storage(), locks());
    expect(next.load('other machine')).toBeUndefined();
    expect(next.load('m')?.text).toBe('mine');
    expect((await opened(local, storage(), locks())).load('m')).toBeUndefined();
  });

  it('are found again if the page before the reload is slow to release its lock, and taken by no other', async () => {
    const [local, session] = [storage(), storage()];
    const { locks } = browser();
    const before = await opened(local, session, locks());
    before.save('m', draft('mine'));
    const after = opened(local, session, locks());
    // Another window starts while the reloaded page still waits for its lock.
    expect((await opened(local, storage(), locks())).load('m')).toBeUndefined();
    before.leave();
    expect((await after).load('m')?.text).toBe('mine');
  });

  it('of a window that still waits for its lock are taken by no other', async () => {
    const local = storage();
    (await opened(local, storage())).save('m', draft('mine'));
    const [key = ''] = Object.keys(local);
    const { locks } = browser();
    const asked = locks();
    const name = `armature.window ${key.slice(key.lastIndexOf(' ') + 1)}`;
    const before = {
      ...asked,
      query: async () => ({ held: [], pending: [{ name, clientId: '', mode: 'exclusive' as const }] }),
    };
    expect((await opened(local, storage(), before)).load('m')).toBeUndefined();
  });

  it('of a duplicated tab are separate from those of its original', async () => {
    const [local, session] = [storage(), storage()];
    const { locks } = browser();
    (await opened(local, session, locks())).save('m', draft('mine'));
    expect((await opened(local, session, locks())).load('m')).toBeUndefined();
  });

  it('are found again in a browser that does not tell which windows are open', async () => {
    const local = storage();
    (await opened(local, storage())).save('m', draft('mine'));
    expect((await opened(local, storage())).load('m')?.text).toBe('mine');
  });

  it('that were taken over and discarded do not come back, in such a browser either', async () => {
    const [local, session] = [storage(), storage()];
    const gone = await opened(local, storage());
    gone.save('m', draft('mine'));
    const next = await opened(local, session);
    expect(next.load('m')?.text).toBe('mine');
    next.save('m', draft('mine, and more'));
    next.save('m', undefined);
    expect((await opened(local, session)).load('m')).toBeUndefined();
  });

  it('that their own window, which was still open, has changed since are left to it', async () => {
    const local = storage();
    const first = await opened(local, storage());
    first.save('m', draft('mine'));
    const second = await opened(local, storage());
    second.load('m');
    first.save('m', draft('mine, and more'));
    second.save('m', undefined);
    expect(first.load('m')?.text).toBe('mine, and more');
  });

  it('are not kept if the browser forbids it, and save returns false', async () => {
    const forbidden = (): Storage => {
      throw new Error('denied');
    };
    const drafts = new DraftStorage(forbidden, forbidden, undefined);
    await drafts.open();
    expect(drafts.load('m')).toBeUndefined();
    expect(drafts.save('m', draft('mine'))).toBe(false);
  });

  const secret = '{"components": [{"name": "a", "attributes": {"api_key": "old-secret"}}]}';
  const typed = '{"components": [{"name": "a", "attributes": {"api_key": "old-secret", "token": "new-secret"}}]}';
  const document = { text: secret, revision: '1' } as ConfigDocument;

  it('survive a reload with their secrets, and the end of the window without them', async () => {
    const [local, session] = [storage(), storage()];
    const first = await opened(local, session);
    first.save('m', { baseText: secret, baseRevision: '1', text: typed });
    expect(Object.values(local).join()).not.toMatch(/(old|new)-secret/);
    const same = (await opened(local, session)).load('m');
    expect(same && restored(same, document).text).toBe(typed);
    const other = (await opened(local, storage())).load('m');
    expect(other && restored(other, document)).toMatchObject({
      base: { text: secret },
      text: typed.replace('new-secret', ''),
    });
  });

  it('of earlier versions have their secrets taken out, and are removed after 30 days', async () => {
    const local = storage();
    local.setItem('armature.draft.m w', JSON.stringify({ baseText: secret, baseRevision: '1', text: typed }));
    await opened(local, storage());
    expect(Object.values(local).join()).not.toMatch(/(old|new)-secret/);
    const later = Date.now() + 31 * 24 * 60 * 60 * 1_000;
    const next = new DraftStorage(
      () => local,
      () => storage(),
      undefined,
      () => later,
    );
    await next.open();
    expect(Object.keys(local)).toEqual([]);
  });

  it('that are malformed are ignored', async () => {
    const [local, session] = [storage(), storage()];
    session.setItem('armature.window', 'w');
    local.setItem('armature.draft.m w', '{"text": 5}');
    expect((await opened(local, session)).load('m')).toBeUndefined();
  });
});
