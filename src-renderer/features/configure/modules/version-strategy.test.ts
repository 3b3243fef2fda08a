import { describe, expect, it } from 'vitest';
import { baseOf, strategyOf, versionsFor } from './version-strategy.ts';

describe('the strategies of a version', () => {
  it.each([
    ['1.2.3', 'patch'],
    ['1.2.3-rc.1', 'patch'],
    ['1.2.*', 'minor'],
    ['1.*', 'major'],
    ['latest', 'latest'],
    ['latest-with-prerelease', 'prerelease'],
    ['', undefined],
    ['1.2', undefined],
    ['*', undefined],
    ['newest', undefined],
  ])('%s is %s', (version, strategy) => {
    expect(strategyOf(version)).toBe(strategy);
  });

  it('start from the exact version that the written one stands for', () => {
    expect(versionsFor('1.*', '1.4.2')).toEqual({
      patch: '1.4.2',
      minor: '1.4.*',
      major: '1.*',
      latest: 'latest',
      prerelease: 'latest-with-prerelease',
    });
    expect(versionsFor('1.2.*', '')).toMatchObject({ patch: '', minor: '1.2.*', major: '1.*' });
    expect(versionsFor('1.*', '')).toMatchObject({ patch: '', minor: '', major: '1.*' });
    expect(versionsFor('latest', '')).toMatchObject({ patch: '', minor: '', major: '' });
    expect(versionsFor('2.0.0-rc.1', '2.0.0-rc.1')).toMatchObject({ patch: '2.0.0-rc.1', minor: '2.0.*' });
  });

  it('start from the running version only if the written one allows it', () => {
    expect(baseOf('1.*', ['2.0.0', '1.9.1'])).toBe('1.9.1');
    expect(baseOf('1.2.*', ['1.20.0', ''])).toBe('');
    expect(baseOf('latest', ['1.2.3', '1.3.0'])).toBe('1.2.3');
    expect(baseOf('1.2.3', ['1.3.0'])).toBe('1.2.3');
    expect(baseOf('nonsense', ['1.3.0'])).toBe('1.3.0');
  });
});
