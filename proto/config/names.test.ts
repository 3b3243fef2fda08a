import { describe, expect, it } from 'vitest';
import { canonicalApi, canonicalModel, parseFullName, RESOURCE_NAME } from './names.ts';

describe('names', () => {
  it('reads both spellings of a namespace as ours', () => {
    expect(canonicalApi('rdk:component:motor')).toBe('core:component:motor');
    expect(canonicalApi('core:component:motor')).toBe('core:component:motor');
    expect(canonicalApi('acme:service:grinder')).toBe('acme:service:grinder');
  });

  it.each(['motor', 'core:motor', 'core:thing:motor', 'core:component:motor:x', 'core:component:mo tor', ''])(
    'does not take %j for an API',
    (text) => expect(canonicalApi(text)).toBeUndefined(),
  );

  it('expands a one-word model', () => {
    expect(canonicalModel('gpio')).toBe('core:builtin:gpio');
    expect(canonicalModel('rdk:builtin:fake')).toBe('core:builtin:fake');
    expect(canonicalModel('acme:motors:big one')).toBeUndefined();
  });

  it('splits a full resource name at its first slash', () => {
    expect(parseFullName('rdk:component:motor/left')).toEqual({ api: 'core:component:motor', name: 'left' });
    expect(parseFullName('left')).toBeUndefined();
    expect(parseFullName('core:component:motor/')).toBeUndefined();
  });

  it('bounds resource names', () => {
    expect(RESOURCE_NAME.test('a')).toBe(true);
    expect(RESOURCE_NAME.test('a'.repeat(60))).toBe(true);
    expect(RESOURCE_NAME.test('a'.repeat(61))).toBe(false);
    for (const bad of ['-a', 'a:b', 'a+b', 'a b', '', '_a']) expect(RESOURCE_NAME.test(bad)).toBe(false);
  });
});
