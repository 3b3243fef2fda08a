import { describe, expect, it } from 'vitest';
import { mountScript, mountSteps, isWithin, quoted } from './mount-script.ts';

const words = (wish: Partial<Parameters<typeof mountSteps>[0]>): string[] =>
  mountSteps({ hidden: [], shown: [], shownReadOnly: [], ...wish }).map(
    ({ kind, path, isReadOnly }) => `${kind}${isReadOnly ? ' ro' : ''} ${path}`,
  );

describe('what a module sees of folders', () => {
  it('is nothing of what is hidden but its own', () => {
    expect(
      words({
        hidden: ['/home/ann/.armature', '/tmp/armature-1'],
        shown: ['/home/ann/.armature/module-data/local/a', '/tmp/armature-1/7', '/opt/a'],
        shownReadOnly: ['/home/ann/.armature/packages'],
      }),
    ).toEqual([
      'hide /tmp/armature-1',
      'show /tmp/armature-1/7',
      'hide /home/ann/.armature',
      'show ro /home/ann/.armature/packages',
      'show /home/ann/.armature/module-data/local/a',
    ]);
  });

  it('is its own version to write to, among packages that it may only read', () => {
    expect(words({ hidden: ['/h'], shown: ['/h/packages/a/1'], shownReadOnly: ['/h/packages'] })).toEqual([
      'hide /h',
      'show ro /h/packages',
      'show /h/packages/a/1',
    ]);
  });

  it('is hidden once where the folder around it is, and again where that is shown', () => {
    expect(words({ hidden: ['/root', '/root/.armature'], shown: ['/root/m'] })).toEqual(['hide /root', 'show /root/m']);
    expect(words({ hidden: ['/root', '/root/m/.armature'], shown: ['/root/m', '/root/m/.armature/d'] })).toEqual([
      'hide /root',
      'show /root/m',
      'hide /root/m/.armature',
      'show /root/m/.armature/d',
    ]);
  });

  it('knows what is within what', () => {
    expect(isWithin('/a/b', '/a')).toBe(true);
    expect(isWithin('/a', '/a')).toBe(true);
    expect(isWithin('/ab', '/a')).toBe(false);
    expect(isWithin('/a/..b', '/a')).toBe(true);
    expect(isWithin('/', '/a')).toBe(false);
  });

  it('is made by a script that takes names of every kind', () => {
    expect(quoted("it's $HOME")).toBe("'it'\\''s $HOME'");
    const steps = mountSteps({ hidden: ['/h'], shown: ["/h/a b'c"], shownReadOnly: [] });
    expect(mountScript(steps, '/w').split('\n')).toEqual([
      'set -e',
      "exec 3<'/h'",
      "mount -n -t tmpfs -o mode=755,size=1m armature '/h'",
      "mkdir -p '/h/a b'\\''c'",
      "mount -n -c -o bind '/proc/self/fd/3/a b'\\''c' '/h/a b'\\''c'",
      'exec 3<&-',
      "cd '/w'",
      'exec "$@"',
    ]);
  });
});
