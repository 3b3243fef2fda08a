import { describe, expect, it } from 'vitest';
import { ItemPages, type LoadPage } from './item-pages.ts';

/** Items in pages of `limit`; a token is the index at which the next page starts. */
function pagesOf(items: string[], limit: number, asked: string[] = []) {
  const load: LoadPage<string> = async (token) => {
    asked.push(token);
    const start = Number(token || '0');
    const page = items.slice(start, start + limit);
    return { items: page, olderToken: page.length < limit ? '' : String(start + limit) };
  };
  return new ItemPages(load, () => undefined);
}

describe('pages', () => {
  it('can be turned to the end and back, one at a time', async () => {
    const pages = pagesOf([...'abcde'], 2);
    expect(pages.view.hasBegun).toBe(false);
    await pages.newest();
    expect(pages.view).toMatchObject({ items: ['a', 'b'], number: 0, hasOlder: true, hasBegun: true });
    expect(await pages.newer()).toBe(false);
    await pages.older();
    expect(await pages.older()).toBe(true);
    expect(pages.view).toMatchObject({ items: ['e'], number: 2, hasOlder: false });
    expect(await pages.older()).toBe(false);
    await pages.newer();
    expect(pages.view).toMatchObject({ items: ['c', 'd'], number: 1, hasOlder: true });
    await pages.newest();
    expect(pages.view).toMatchObject({ items: ['a', 'b'], number: 0 });
  });

  it('stay where they are when the page after the last full one is empty', async () => {
    const pages = pagesOf([...'abcd'], 2);
    await pages.newest();
    await pages.older();
    expect(pages.view.hasOlder).toBe(true);
    expect(await pages.older()).toBe(false);
    expect(pages.view).toMatchObject({ items: ['c', 'd'], number: 1, hasOlder: false });
  });

  it('turn back where all items of a page were deleted', async () => {
    const items = [...'abc'];
    const pages = pagesOf(items, 2);
    await pages.newest();
    await pages.older();
    items.pop();
    await pages.again();
    expect(pages.view).toMatchObject({ items: ['a', 'b'], number: 0 });
    items.length = 0;
    await pages.again();
    expect(pages.view).toMatchObject({ items: [], number: 0, hasOlder: false });
  });

  it('keep their items when a request fails, and ignore the answer of a cancelled one', async () => {
    let answer: LoadPage<string> = async () => ({ items: ['a'], olderToken: '1' });
    const pages = new ItemPages<string>(
      (token, signal) => answer(token, signal),
      () => undefined,
    );
    await pages.newest();
    answer = () => Promise.reject(new Error('the hub is away'));
    await pages.older();
    expect(pages.view).toMatchObject({ items: ['a'], number: 0, problem: 'the hub is away', isAsking: false });
    let settle: (items: string[]) => void = () => undefined;
    answer = () => new Promise((resolve) => (settle = (items) => resolve({ items, olderToken: '' })));
    const late = pages.older();
    const settleLate = settle;
    const next = pages.newest();
    settle(['new']);
    settleLate(['late']);
    expect([await late, await next]).toEqual([false, true]);
    expect(pages.view).toMatchObject({ items: ['new'], number: 0, problem: '' });
  });
});
