import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StatusCode } from '../../../proto/status-code.ts';
import { RpcError } from '../../link/rpc-error.ts';
import { registryModule } from '../machine/module.fixture.ts';
import type { RegistryPageView } from '../machine/registry-view.ts';
import { RegistrySearch } from './registry-search.ts';

interface Asked {
  readonly text: string;
  readonly token: string;
  readonly signal: AbortSignal;
  answer(...moduleIds: string[]): Promise<void>;
  fail(code: number, message: string): Promise<void>;
}

function bench(nextToken = '') {
  const asked: Asked[] = [];
  const search = new RegistrySearch(
    {
      search: (text, token, signal) =>
        new Promise<RegistryPageView>((resolve, reject) => {
          asked.push({
            text,
            token,
            signal,
            async answer(...moduleIds) {
              const modules = moduleIds.map((id) => registryModule(id));
              resolve({ modules, nextToken: token === '' ? nextToken : '', total: 9 });
              await Promise.resolve();
            },
            async fail(code, message) {
              reject(new RpcError(code, message));
              await Promise.resolve();
              await Promise.resolve();
            },
          });
        }),
    },
    () => undefined,
  );
  const last = (): Asked => {
    const found = asked.at(-1);
    if (found === undefined) throw new Error('nothing was asked');
    return found;
  };
  const shown = (): string[] => search.view.modules.map(({ moduleId }) => moduleId);
  return { search, asked, last, shown };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a search of the registry', () => {
  it('waits for a pause in the typing, and cancels the previous request', async () => {
    const { search, asked, last, shown } = bench();
    search.find('', false);
    const first = last();
    search.find('m', true);
    search.find('mo', true);
    expect(asked).toHaveLength(1);
    vi.advanceTimersByTime(200);
    expect(asked.map(({ text }) => text)).toEqual(['', 'mo']);
    expect(first.signal.aborted).toBe(true);
    await first.answer('acme:old');
    expect(shown()).toEqual([]);
    await last().answer('acme:motors');
    expect(shown()).toEqual(['acme:motors']);
    expect(search.view).toMatchObject({ answered: 'mo', isAsking: false, total: 9 });
  });

  it('does not repeat the same search, also while it waits', () => {
    const { search, asked } = bench();
    search.find('env', false);
    search.find(' env ', true);
    vi.advanceTimersByTime(500);
    expect(asked).toHaveLength(1);
  });

  it('keeps its results while it asks again and if that fails, and says why', async () => {
    const { search, last, shown } = bench();
    search.find('env', false);
    await last().answer('acme:env');
    void search.again();
    expect(search.view.isAsking).toBe(true);
    await last().fail(StatusCode.UNAVAILABLE, 'the hub is away');
    expect(shown()).toEqual(['acme:env']);
    expect(search.view.problem).toEqual({ kind: 'away', message: 'the hub is away' });
    void search.again();
    await last().answer('acme:env2');
    expect(search.view.problem).toBeUndefined();
    expect(shown()).toEqual(['acme:env2']);
  });

  it('distinguishes a program without a registry from one that does not answer', async () => {
    const { search, last } = bench();
    search.find('', false);
    await last().fail(StatusCode.UNIMPLEMENTED, 'unknown service');
    expect(search.view.problem?.kind).toBe('noRegistry');
  });

  it('adds pages, each module once', async () => {
    const { search, last, shown, asked } = bench('page-2');
    search.find('', false);
    await last().answer('a:a', 'a:b');
    expect(search.view.hasMore).toBe(true);
    void search.more();
    void search.more();
    expect(asked).toHaveLength(2);
    expect(last().token).toBe('page-2');
    await last().answer('a:b', 'a:c');
    expect(shown()).toEqual(['a:a', 'a:b', 'a:c']);
    expect(search.view.hasMore).toBe(false);
    await search.more();
    expect(asked).toHaveLength(2);
  });
});
