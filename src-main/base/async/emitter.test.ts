import { describe, expect, it } from 'vitest';
import { Emitter, KeyedEmitter } from './emitter.ts';

describe('Emitter', () => {
  it('tells all at once, in the order they came, until each is removed', () => {
    const emitter = new Emitter<number>();
    const heard: string[] = [];
    const removeFirst = emitter.on((event) => heard.push(`first ${event}`));
    emitter.on((event) => heard.push(`second ${event}`));
    emitter.emit(1);
    expect(heard).toEqual(['first 1', 'second 1']);
    removeFirst();
    removeFirst();
    emitter.emit(2);
    expect(heard).toEqual(['first 1', 'second 1', 'second 2']);
    expect(emitter.size).toBe(1);
    emitter.clear();
    emitter.emit(3);
    expect([heard.length, emitter.size]).toEqual([3, 0]);
  });

  it('tells a listener that was given twice twice, and forgets it once', () => {
    const emitter = new Emitter();
    let calls = 0;
    const listener = (): void => void calls++;
    const remove = emitter.on(listener);
    emitter.on(listener);
    emitter.emit();
    expect(calls).toBe(2);
    remove();
    emitter.emit();
    expect(calls).toBe(3);
  });

  it('tells nobody who was removed meanwhile, and those who were added only of the next event', () => {
    const emitter = new Emitter<string>();
    const heard: string[] = [];
    emitter.on((event) => {
      removeSecond();
      emitter.on((later) => heard.push(`added at ${event} hears ${later}`));
    });
    const removeSecond = emitter.on((event) => heard.push(`removed hears ${event}`));
    emitter.emit('a');
    expect(heard).toEqual([]);
    emitter.emit('b');
    expect(heard).toEqual(['added at a hears b']);
  });

  it('tells of an event within an event, each to all', () => {
    const emitter = new Emitter<number>();
    const heard: number[] = [];
    emitter.on((event) => {
      if (event === 1) emitter.emit(2);
    });
    emitter.on((event) => heard.push(event));
    emitter.emit(1);
    expect(heard).toEqual([2, 1]);
  });

  it('keeps the event from nobody when a listener throws, and throws the first failure then', () => {
    const emitter = new Emitter();
    const heard: string[] = [];
    const fail = (message: string): void => {
      throw new Error(message);
    };
    emitter.on(() => fail('first'));
    emitter.on(() => fail('second'));
    emitter.on(() => heard.push('third'));
    expect(() => emitter.emit()).toThrow('first');
    expect(heard).toEqual(['third']);
  });

  it('tells of every failure instead of throwing where somebody wants to know', () => {
    const failures: unknown[] = [];
    const emitter = new Emitter<string>((thrown) => failures.push(thrown));
    const fail = (reason: string): void => {
      throw new Error(reason);
    };
    emitter.on((event) => fail(`${event} 1`));
    emitter.on((event) => fail(`${event} 2`));
    emitter.emit('a');
    expect(failures).toEqual([new Error('a 1'), new Error('a 2')]);
  });
});

it('KeyedEmitter tells those who listen to a key, and keeps no key that nobody listens to', () => {
  const emitter = new KeyedEmitter<number>();
  const heard: string[] = [];
  const removeFirst = emitter.on('left', (event) => heard.push(`first ${event}`));
  const removeRight = emitter.on('right', (event) => heard.push(`right ${event}`));
  emitter.emit('left', 1);
  emitter.emit('nobody', 2);
  removeFirst();
  removeRight();
  expect(emitter.size).toBe(0);
  const removeSecond = emitter.on('left', (event) => heard.push(`second ${event}`));
  removeFirst();
  emitter.emit('left', 3);
  expect(heard).toEqual(['first 1', 'second 3']);
  removeSecond();
  expect(emitter.size).toBe(0);
});
