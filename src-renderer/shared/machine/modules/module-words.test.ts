import { describe, expect, it } from 'vitest';
import { type ModuleUpdate, ModuleUpdate_Step, Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { createTexts } from '../../text.ts';
import { shortName } from '../machine-view.ts';
import { carriedBy, stoppingWith } from './module-resources.ts';
import { namesInWords, stopWords, updateWords, versionWords } from './module-words.ts';
import { moduleOf } from '../module.fixture.ts';
import { resourceOf } from '../resource.fixture.ts';

const t = createTexts();

describe('the resources of a module', () => {
  const full = (name: string): string => `core:component:motor/${name}`;
  const resources = [
    resourceOf('board', { model: 'acme:motors:board' }),
    resourceOf('left', { model: 'core:builtin:gpio', dependsOn: [full('board')] }),
    resourceOf('base', { model: 'core:builtin:wheeled', dependsOn: [full('left')] }),
    resourceOf('lost', { model: 'acme:motors:dc', state: Resource_State.FAILED }),
    resourceOf('other', { model: 'acme:motorsport:dc' }),
  ];

  it('are those of its models, and their direct and indirect dependents', () => {
    const { served, dependents } = carriedBy(moduleOf('acme_motors'), resources);
    expect(served.map(({ name }) => shortName(name))).toEqual(['board', 'lost']);
    expect(dependents.map(({ name }) => shortName(name))).toEqual(['left', 'base']);
    expect(stoppingWith(moduleOf('acme_motors'), resources)).toEqual(['board', 'left', 'base']);
  });

  it('are found by its models if a local module has no id', () => {
    const local = moduleOf('mine', { moduleId: '', models: ['acme:motorsport:dc'] });
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

  it('tell the progress of an update', () => {
    const update = (over: Partial<ModuleUpdate>): ModuleUpdate => ({
      version: '1.2.4',
      step: ModuleUpdate_Step.DOWNLOADING,
      doneBytes: 3_100_000n,
      totalBytes: 8_000_000n,
      reason: '',
      ...over,
    });
    expect(updateWords(update({}), t)).toBe('1.2.4 is being downloaded, 3.1\u00a0MB of 8.0\u00a0MB');
    expect(updateWords(update({ totalBytes: 0n }), t)).toBe('1.2.4 is being downloaded, 3.1\u00a0MB so far');
    expect(updateWords(update({ step: ModuleUpdate_Step.REJECTED, reason: 'it did not become ready' }), t)).toBe(
      '1.2.4 was rejected, and the previous version stays in use: it did not become ready',
    );
  });

  it('show the wanted version and the one that runs', () => {
    expect(versionWords({ wantedVersion: '1.4.*', version: '1.4.2' })).toBe('1.4.* → 1.4.2');
    expect(versionWords({ wantedVersion: '1.4.2', version: '1.4.2' })).toBe('1.4.2');
    expect(versionWords({ wantedVersion: 'latest', version: '' })).toBe('latest');
  });
});
