import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileLogPattern } from './log-pattern.ts';
import { moduleLoggerName, namesForPatterns, resourceLoggerName } from './logger-names.ts';

const left = 'core:component:motor/left';
const leftNames = namesForPatterns(resourceLoggerName(left), { resource: left, module: undefined });

function matches(pattern: string, names: readonly string[]): boolean {
  const compiled = compileLogPattern(pattern);
  if (compiled.kind === 'invalid') throw new Error(compiled.reason);
  return names.some(compiled.matches);
}

describe('a log pattern', () => {
  it.each([
    ['core.component.motor.left'],
    ['core.component.motor.*'],
    ['core.component.*'],
    ['core.*'],
    ['*'],
    ['*left'],
    ['rdk.component.motor.left'],
    ['rdk.resource_manager.rdk:component:motor/left'],
    ['rdk.resource_manager.*'],
    ['core.resource_manager.core:component:motor/*'],
    ['rdk:component:motor/left'],
    ['core.component.(motor|servo).left'],
    ['core.component.[a-z]+.left'],
    ['core.component.mo[^.]or.left'],
    ['core\\.component\\.motor\\.left'],
    ['(?i)CORE.component.motor.LEFT'],
    ['core.component.motor.(left|right)'],
  ])('%s means the motor left', (pattern) => {
    expect(matches(pattern, leftNames)).toBe(true);
  });

  it.each([
    ['core.component.motor'],
    ['component.motor.left'],
    ['core.component.motor.lef'],
    ['coreXcomponent.motor.left'],
    ['left'],
    ['CORE.component.motor.LEFT'],
    ['core.component.servo.*'],
    ['core|rdk'],
  ])('%s does not', (pattern) => {
    expect(matches(pattern, leftNames)).toBe(false);
  });

  it('means a module by its name', () => {
    const names = namesForPatterns(moduleLoggerName('viam-gpio'), { resource: undefined, module: 'viam-gpio' });
    expect(matches('viam-gpio', names)).toBe(true);
    expect(matches('rdk.modmanager.viam-*', names)).toBe(true);
    expect(matches('gpio', names)).toBe(false);
  });

  it('means any other logger by its path', () => {
    const names = namesForPatterns('core.web', { resource: undefined, module: undefined });
    expect([matches('core.web', names), matches('rdk.web', names)]).toEqual([true, true]);
  });

  it.each(['*(x+)+y', '(x+x+)+y', '((x|xx)*)*y', '*x*x*x*x*x*x*x*x*y'])('%s is done with a long name', (pattern) => {
    expect(matches(pattern, ['x'.repeat(5_000)])).toBe(false);
  });

  it('says what it cannot do', () => {
    expect(compileLogPattern('core.(?!web).*')).toEqual({
      kind: 'invalid',
      reason: '"(?!" looks ahead or behind, which patterns here cannot',
    });
  });

  it.each(['', 'core.(', '[', 'a{2,1}', '+', 'x'.repeat(501)])('is invalid where it is none: %s', (pattern) => {
    expect(compileLogPattern(pattern)).toMatchObject({ kind: 'invalid' });
  });
});

describe('names of loggers', () => {
  it('are the dotted path of the resource, whatever its namespace', () => {
    expect(resourceLoggerName(left)).toBe('core.component.motor.left');
    expect(resourceLoggerName('acme:component:laser/x1')).toBe('acme.component.laser.x1');
  });

  it('of a child are not those of its resource', () => {
    expect(namesForPatterns('core.component.motor.left.control', { resource: left, module: undefined })).toEqual([
      'core.component.motor.left.control',
      'rdk.component.motor.left.control',
    ]);
  });
});

it('a pattern of names and runs means what the same one means as a regular expression', () => {
  const text = (characters: string, maxLength: number) =>
    fc.string({ unit: fc.constantFrom(...characters), maxLength });
  fc.assert(
    fc.property(
      text('ab.*', 8).filter((pattern) => pattern !== ''),
      text('ab.x', 8),
      (pattern, name) => {
        // An empty group makes it a regular expression.
        expect(matches(pattern, [name])).toBe(matches(`${pattern}(?:)`, [name]));
      },
    ),
    { numRuns: 2_000 },
  );
});
