import { describe, expect, it } from 'vitest';
import { Package, Package_State } from '../../../../proto/gen/core/status/v1/status.ts';
import type { DraftResource } from '../../../shared/stores/draft-text.ts';
import { mayRetry, packageRows, packageState, packageTone } from './package-rows.ts';

const entry = (name: string, version = '1.0.0'): object => ({
  name,
  package: `org/${name}`,
  type: 'ml_model',
  version,
});
const live = (name: string, over: Partial<Package> = {}): Package =>
  Package.fromPartial({ name, package: `org/${name}`, wantedVersion: '1.0.0', state: Package_State.READY, ...over });
const resource = (name: string, api: string, attributes: Record<string, unknown>): DraftResource => ({
  ...{ name, api, fullName: `${api}/${name}`, model: '', path: ['services', 0], attributes, isDisabled: false },
});

describe('the packages', () => {
  const resources = [
    resource('net', 'core:service:mlmodel', { model_path: '${packages.ml_model.parts}/parts.onnx' }),
    resource('eyes', 'core:service:vision', { mlmodel_name: 'net' }),
  ];

  it('are those of the draft, those that it removes, and those that only the machine has', () => {
    const rows = packageRows({
      root: { packages: [entry('new'), entry('parts', '2.0.0'), entry('same')] },
      appliedRoot: { packages: [entry('gone'), entry('parts'), entry('same')] },
      resources,
      live: [live('parts'), live('gone'), live('left'), live('same')],
    });
    expect(rows.map(({ name, mark, live: found }) => [name, mark, found !== undefined])).toEqual([
      ['new', 'added', false],
      ['parts', 'changed', true],
      ['same', undefined, true],
      ['gone', 'removed', true],
      ['left', undefined, true],
    ]);
    expect(rows.map(({ users }) => users.map(({ name }) => name))).toEqual([[], ['net', 'eyes'], [], [], []]);
    expect(rows[1]?.wanted).toBe('2.0.0');
  });

  it('are not marked as added while the applied configuration is not known', () => {
    const rows = packageRows({ root: { packages: [entry('parts')] }, appliedRoot: undefined, resources, live: [] });
    expect(rows).toMatchObject([{ name: 'parts', mark: undefined, live: undefined }]);
  });
});

describe('the state of a package', () => {
  it.each([
    [Package_State.PENDING, 'looking for it', 'pending', 'warn', false],
    [Package_State.READY, '', 'ready', 'ok', false],
    [Package_State.READY, 'the hub is not reached', 'readyOther', 'warn', true],
    [Package_State.FAILED, 'no such version', 'failed', 'bad', true],
    [Package_State.UNSPECIFIED, '', 'pending', 'warn', false],
  ] as const)('%s with "%s" is %s', (state, reason, name, tone, again) => {
    const one = live('parts', { state, reason });
    expect(packageState(one)).toBe(name);
    expect(packageTone(one)).toBe(tone);
    expect(mayRetry(one)).toBe(again);
  });
});
