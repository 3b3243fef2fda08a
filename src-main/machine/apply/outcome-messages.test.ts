import { describe, expect, it } from 'vitest';
import { unreadySentence } from './outcome-messages.ts';

const of = (name: string, reason: string) => ({ name: `core:component:generic/${name}`, reason });

describe('what was not ready', () => {
  it('is told with its reason', () => {
    expect(unreadySentence([of('left', 'its board failed: unplugged.')], 'ready in 10 s')).toBe(
      'left was not ready in 10 s: its board failed: unplugged.',
    );
  });

  it('is told once for all that only wait for it', () => {
    const unready = [
      of('bench', 'Board "bench" is unplugged.'),
      of('wheel', 'its board bench failed: Board "bench" is unplugged.'),
      of('left', 'waiting for wheel, which waits because board bench failed: Board "bench" is unplugged.'),
      of('climate', 'being built'),
    ];
    expect(unreadySentence(unready, 'ready in 10 s')).toBe(
      '4 resources were not ready in 10 s: bench: Board "bench" is unplugged; climate: being built; waiting for those: wheel, left',
    );
    expect(unreadySentence(unready.slice(0, 2), 'ready yet')).toBe(
      '2 resources were not ready yet: bench: Board "bench" is unplugged; waiting for it: wheel',
    );
  });

  it('is told for each where all have the same reason', () => {
    expect(unreadySentence([of('a', 'being built'), of('b', 'being built')], 'ready yet')).toBe(
      '2 resources were not ready yet: a: being built; b: being built',
    );
  });
});
