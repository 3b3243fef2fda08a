import { describe, expect, it } from 'vitest';
import {
  everyVersion,
  type HistoryCalls,
  type VersionCriteria,
  type VersionView,
} from '../../shared/machine/history-view.ts';
import { VersionFeed } from './version-feed.ts';
import { versionOf } from './version.fixture.ts';

/** A hub with as many versions as a test adds; it answers like the real one. */
class FakeHistory {
  versions: VersionView[] = [];
  readonly asked: { token: string; limit: number }[] = [];
  failure: Error | undefined;
  isKept = true;

  add(count: number): void {
    for (let each = 0; each < count; each++) this.versions.unshift(versionOf(this.versions.length + 1));
  }

  readonly list: HistoryCalls['list'] = async (criteria, token, limit) => {
    this.asked.push({ token, limit });
    await Promise.resolve();
    if (this.failure !== undefined) throw this.failure;
    if (!this.isKept) return 'not kept';
    const matching = this.versions.filter(({ tag }) => !criteria.isTagged || tag !== '');
    const from = token === '' ? 0 : matching.findIndex(({ number }) => number < Number(token));
    const versions = from < 0 ? [] : matching.slice(from, from + limit);
    const isLast = from < 0 || from + limit >= matching.length;
    return { versions, olderToken: isLast ? '' : String(versions.at(-1)?.number), total: matching.length };
  };
}

function begin(history: FakeHistory, criteria: VersionCriteria = everyVersion) {
  let changes = 0;
  const machine = { history: history as unknown as HistoryCalls };
  const feed = new VersionFeed({ machine, criteria, onChange: () => changes++ });
  return { feed, changes: () => changes };
}

const numbersOf = (feed: VersionFeed): number[] => feed.versions.map(({ number }) => number);
const downFrom = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first - index);

describe('the feed of versions', () => {
  it('reads the newest first, and older ones only on demand', async () => {
    const history = new FakeHistory();
    history.add(1_700);
    const { feed } = begin(history);
    expect([feed.hasBegun, feed.total]).toEqual([false, 0]);
    await feed.refresh();
    expect(numbersOf(feed)).toEqual(downFrom(1_700, 100));
    expect([feed.hasBegun, feed.total, feed.newest?.number]).toEqual([true, 1_700, 1_700]);
    await feed.loadTo(150);
    expect(numbersOf(feed)).toEqual(downFrom(1_700, 600));
    await feed.loadTo(1_699);
    expect(numbersOf(feed)).toEqual(downFrom(1_700, 1_700));
    const asked = history.asked.length;
    await feed.loadTo(1_699);
    expect(history.asked.length).toBe(asked);
  });

  it('gets new versions and edited tags with a refresh, and keeps what was read further down', async () => {
    const history = new FakeHistory();
    history.add(300);
    const { feed } = begin(history);
    await feed.refresh();
    await feed.loadTo(299);
    history.add(3);
    history.versions[1] = versionOf(302, { tag: 'good' });
    await feed.refresh();
    expect(numbersOf(feed)).toEqual(downFrom(303, 303));
    expect(feed.versions[1]?.tag).toBe('good');
    expect(feed.total).toBe(303);
  });

  it('has no gap after more new versions than one page holds', async () => {
    const history = new FakeHistory();
    history.add(120);
    const { feed } = begin(history);
    await feed.refresh();
    await feed.loadTo(119);
    history.add(400);
    await feed.refresh();
    expect(numbersOf(feed)).toEqual(downFrom(520, 100));
    await feed.loadTo(519);
    expect(numbersOf(feed)).toEqual(downFrom(520, 520));
  });

  it('neither loses nor repeats versions that come while older ones are read', async () => {
    const history = new FakeHistory();
    history.add(1_200);
    const { feed } = begin(history);
    await feed.refresh();
    const older = feed.loadTo(1_199);
    history.add(2);
    await feed.refresh();
    await older;
    await feed.loadTo(feed.total - 1);
    expect(numbersOf(feed)).toEqual(downFrom(1_202, 1_202));
  });

  it('under a filter, knows the newest of all as well, and drops what no longer matches', async () => {
    const history = new FakeHistory();
    history.add(9);
    history.versions[4] = versionOf(5, { tag: 'a' });
    history.versions[6] = versionOf(3, { tag: 'b' });
    const { feed } = begin(history, { ...everyVersion, isTagged: true });
    await feed.refresh();
    expect([numbersOf(feed), feed.newest?.number, feed.total]).toEqual([[5, 3], 9, 2]);
    history.versions[4] = versionOf(5);
    await feed.refresh();
    expect(numbersOf(feed)).toEqual([3]);
  });

  it('reports a failure, keeps what was read, and clears the failure with the next answer', async () => {
    const history = new FakeHistory();
    history.add(5);
    const { feed, changes } = begin(history);
    await feed.refresh();
    history.failure = new Error('The hub is away.');
    await feed.refresh();
    expect([feed.problem, feed.versions.length]).toEqual(['The hub is away.', 5]);
    history.failure = undefined;
    await feed.refresh();
    expect([feed.problem, changes()]).toEqual(['', 3]);
  });

  it('reports that no history is kept', async () => {
    const history = new FakeHistory();
    history.isKept = false;
    const { feed } = begin(history);
    await feed.refresh();
    expect([feed.isKept, feed.hasBegun, feed.problem]).toEqual([false, true, '']);
  });

  it('makes one more refresh for all that are asked for while one runs', async () => {
    const history = new FakeHistory();
    history.add(2);
    const { feed } = begin(history);
    await Promise.all([feed.refresh(), feed.refresh(), feed.refresh(), feed.refresh()]);
    expect(history.asked.length).toBe(2);
  });
});
