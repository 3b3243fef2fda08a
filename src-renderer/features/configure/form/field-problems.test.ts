import { describe, expect, it } from 'vitest';
import { findBuiltinModel } from '../../../shared/builtin-models.ts';
import type { Problem } from '../../../../proto/config/problem.ts';
import { attributeProblems, withMachineProblems } from './field-problems.ts';

const gpio = findBuiltinModel('core:component:motor', 'core:builtin:gpio') ?? { schema: {} };
const right = { board: 'bench', pins: { a: '1', b: '2' }, max_rpm: 100 };
const at = '/components/1/attributes';

function fromMachine(pointer: string, code: string, message: string): Problem {
  return { file: '', line: 1, column: 1, pointer, severity: 'error', code, message };
}

describe('problems at the field', () => {
  it('name the field, the value and the allowed values, with the nearest of them', () => {
    expect(attributeProblems(gpio, { ...right, max_power_pct: 0.03 }, at)).toEqual([
      {
        pointer: `${at}/max_power_pct`,
        severity: 'error',
        message: '"max_power_pct" is 0.03; allowed is 0.06 to 1.',
        nearest: '0.06',
        isAtKey: false,
        isNeeded: false,
      },
    ]);
    expect(attributeProblems(gpio, { ...right, min_power_pct: 2 }, at)).toMatchObject([
      { pointer: `${at}/min_power_pct`, message: 'min_power_pct is 2: it must be from 0 to 1.', nearest: '1' },
    ]);
  });

  it('are at the field that is missing', () => {
    const { board: _board, ...withoutBoard } = right;
    expect(attributeProblems(gpio, withoutBoard, at)).toMatchObject([{ pointer: `${at}/board`, isNeeded: true }]);
    expect(attributeProblems(gpio, { ...right, max_rpm: undefined }, at)).toMatchObject([{ pointer: `${at}/max_rpm` }]);
  });

  it('offer the known name for a misspelled key', () => {
    expect(attributeProblems(gpio, { ...right, max_rmp: 5 }, at)).toMatchObject([
      { pointer: `${at}/max_rmp`, severity: 'warning', nearest: 'max_rpm', isAtKey: true },
    ]);
  });

  it('are none for valid attributes', () => {
    expect(attributeProblems(gpio, right, at)).toEqual([]);
  });
});

describe('problems of the machine', () => {
  const own = attributeProblems(gpio, { ...right, min_power_pct: 2 }, at);

  it('are not repeated', () => {
    const same = fromMachine(
      `${at}/min_power_pct`,
      'attribute.out_of_range',
      'component "left": min_power_pct is 2: it must be from 0 to 1.',
    );
    expect(withMachineProblems(own, [same], true)).toEqual(own);
  });

  it('are left out for attributes that have changed since, but stay for what the page cannot check', () => {
    const old = fromMachine(`${at}/max_rpm`, 'attribute.wrong_type', 'left: max_rpm is "x": it takes a whole number.');
    const missing = fromMachine(`${at}/board`, 'dependency.missing', 'left waits for board "bnch".');
    expect(withMachineProblems([], [old, missing], false).map(({ message }) => message)).toEqual([missing.message]);
    expect(withMachineProblems([], [old, missing], true)).toHaveLength(2);
  });
});
