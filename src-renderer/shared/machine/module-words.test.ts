import { describe, expect, it } from 'vitest';
import { createTexts } from '../text.ts';
import type { ResourceView } from './machine-view.ts';
import { carriedBy, stoppingWith } from './module-resources.ts';
import type { ModuleUpdateView } from './module-view.ts';
import { namesInWords, stopWords, updateWords, versionWords } from './module-words.ts';
import { moduleView } from './module.fixture.ts';

const t = createTexts();

function resource(name: string, model: string, over: Partial<ResourceView> = {}): ResourceView {
  return {
    fullName: `core:component:motor/${name}`,
    name,
    api: 'core:component:motor',
    model,
    state: 'ready',
    reason: '',
    since: 0,
    attempts: 0,
    waitingFor: [],
    dependsOn: [],
    nextTryAt: 0,
    ...over,
  };
}

describe('what a module carries', () => {
  const full = (name: string): string => `core:component:motor/${name}`;
  const resources = [
    resource('board', 'acme:motors:board'),
    resource('left', 'core:builtin:gpio', { dependsOn: [full('board')] }),
    resource('base', 'core:builtin:wheeled', { dependsOn: [full('left')] }),
    resource('lost', 'acme:motors:dc', { state: 'failed' }),
    resource('other', 'acme:motorsport:dc'),
  ];

  it('is what has its models, and what needs that through others', () => {
    const { served, dependents } = carriedBy(moduleView('acme_motors'), resources);
    expect(served.map(({ name }) => name)).toEqual(['board', 'lost']);
    expect(dependents.map(({ name }) => name)).toEqual(['left', 'base']);
    expect(stoppingWith(moduleView('acme_motors'), resources)).toEqual(['board', 'left', 'base']);
  });

  it('is known by its models where a local module names no id', () => {
    const local = moduleView('mine', { moduleId: '', models: ['acme:motorsport:dc'] });
    expect(stoppingWith(local, resources)).toEqual(['other']);
  });
});

describe('words about modules', () => {
  it('name a few and count the rest', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    expect([0, 1, 2, 4, 6].map((count) => namesInWords(names.slice(0, count), t))).toEqual([
      '',
      'a',
      'a and b',
      'a, b, c and d',
      'a, b, c and 3 more',
    ]);
    expect(stopWords([], t)).toBe('');
    expect(stopWords(['left'], t)).toBe('left stops meanwhile');
    expect(stopWords(['left', 'right'], t)).toBe('left and right stop meanwhile');
  });

  it('say how far an update is', () => {
    const update = (over: Partial<ModuleUpdateView>): ModuleUpdateView => ({
      version: '1.2.4',
      step: 'downloading',
      doneBytes: 3_100_000,
      totalBytes: 8_000_000,
      reason: '',
      ...over,
    });
    expect(updateWords(update({}), t)).toBe('1.2.4 is being downloaded, 3.1\u00a0MB of 8.0\u00a0MB');
    expect(updateWords(update({ totalBytes: 0 }), t)).toBe('1.2.4 is being downloaded, 3.1\u00a0MB so far');
    expect(updateWords(update({ step: 'rejected', reason: 'it did not become ready' }), t)).toBe(
      '1.2.4 was not taken, and the one before goes on: it did not become ready',
    );
  });

  it('tell what is wanted from what that is now', () => {
    expect(versionWords({ wantedVersion: '1.4.*', version: '1.4.2' })).toBe('1.4.* → 1.4.2');
    expect(versionWords({ wantedVersion: '1.4.2', version: '1.4.2' })).toBe('1.4.2');
    expect(versionWords({ wantedVersion: 'latest', version: '' })).toBe('latest');
  });
});
