import { describe, expect, it } from 'vitest';
import { KeyedMutex, Mutex } from './mutex.ts';

/** Work that tells when it has begun, and ends when it is told to. */
function task(events: string[], name: string) {
  let end = (): void => undefined;
  let fail: (reason: Error) => void = () => undefined;
  const ended = new Promise<string>((resolve, reject) => {
    end = () => resolve(name);
    fail = reject;
  });
  const work = async (): Promise<string> => {
    events.push(`${name} begins`);
    try {
      return await ended;
    } finally {
      events.push(`${name} ends`);
    }
  };
  return { work, end, fail };
}

describe('Mutex', () => {
  it('does one at a time, in order, and begins none within the call', async () => {
    const mutex = new Mutex();
    const events: string[] = [];
    const [first, second] = [task(events, 'first'), task(events, 'second')];
    const results = [mutex.run(first.work), mutex.run(second.work)];
    expect(events).toEqual([]);
    second.end();
    first.end();
    expect(await Promise.all(results)).toEqual(['first', 'second']);
    expect(events).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  });

  it('tells who gave it of a failure, thrown at once or later, and goes on', async () => {
    const mutex = new Mutex();
    const thrown = mutex.run(() => {
      throw new Error('at once');
    });
    const rejected = mutex.run(() => Promise.reject(new Error('later')));
    const done = mutex.run(() => 'done');
    await expect(thrown).rejects.toThrow('at once');
    await expect(rejected).rejects.toThrow('later');
    expect(await done).toBe('done');
  });

  it('is idle when all that was given before has ended, well or not', async () => {
    const mutex = new Mutex();
    const events: string[] = [];
    const first = task(events, 'first');
    const failing = mutex.run(first.work);
    const idle = mutex.idle().then(() => events.push('idle'));
    first.fail(new Error('failed'));
    await expect(failing).rejects.toThrow('failed');
    await idle;
    expect(events).toEqual(['first begins', 'first ends', 'idle']);
  });

  it('lets go at once of who waits when the signal aborts, without letting the next one in', async () => {
    const mutex = new Mutex();
    const events: string[] = [];
    const [first, second, third] = [task(events, 'first'), task(events, 'second'), task(events, 'third')];
    const controller = new AbortController();
    const results = [mutex.run(first.work), mutex.run(third.work)];
    const withdrawn = mutex.run(second.work, controller.signal);
    controller.abort(new Error('not wanted'));
    await expect(withdrawn).rejects.toThrow('not wanted');
    expect(events).toEqual(['first begins']);
    first.end();
    third.end();
    await Promise.all(results);
    await mutex.idle();
    expect(events).toEqual(['first begins', 'first ends', 'third begins', 'third ends']);
  });

  it('waits for the end of work that had begun when the signal aborts', async () => {
    const mutex = new Mutex();
    const controller = new AbortController();
    const work = async (): Promise<string> => {
      controller.abort();
      return 'done';
    };
    expect(await mutex.run(work, controller.signal)).toBe('done');
  });

  it('does not begin what was withdrawn before', async () => {
    const mutex = new Mutex();
    const aborted = AbortSignal.abort(new Error('too late'));
    let hasBegun = false;
    await expect(mutex.run(() => (hasBegun = true), aborted)).rejects.toThrow('too late');
    await mutex.idle();
    expect(hasBegun).toBe(false);
  });

  it('can be held across functions', async () => {
    const mutex = new Mutex();
    const events: string[] = [];
    const leave = await mutex.lock();
    const next = mutex.run(() => events.push('next'));
    await Promise.resolve();
    events.push('leaves');
    leave();
    leave();
    await next;
    expect(events).toEqual(['leaves', 'next']);
  });
});

describe('KeyedMutex', () => {
  it('keeps order for a key, lets others by, and forgets keys that are done', async () => {
    const mutex = new KeyedMutex();
    const events: string[] = [];
    const slow = task(events, 'slow');
    const first = mutex.run('a', slow.work);
    const second = mutex.run('a', () => events.push('after slow'));
    await mutex.run('b', () => events.push('other'));
    expect(events).toEqual(['slow begins', 'other']);
    slow.end();
    await Promise.all([first, second]);
    expect(events).toEqual(['slow begins', 'other', 'slow ends', 'after slow']);
    // A key is let go after its last work, in the same turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    expect(mutex.size).toBe(0);
  });

  it('forgets no key that got more work meanwhile', async () => {
    const mutex = new KeyedMutex();
    const events: string[] = [];
    await mutex.run('a', () => undefined).then(() => void mutex.run('a', () => events.push('first')));
    await mutex.run('a', () => events.push('second'));
    expect(events).toEqual(['first', 'second']);
  });
});
