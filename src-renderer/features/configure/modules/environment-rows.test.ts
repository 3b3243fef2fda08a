import { describe, expect, it } from 'vitest';
import { freeVariable, isPlain, nameFault, variableRows } from './environment-rows.ts';

describe('the environment of a module', () => {
  it('shows which variables refer to those of the server, and which override those that the machine sets', () => {
    const rows = variableRows({ HOST: '${environment.HOSTNAME}:80', SVC_MODULE_DATA: '/data', COUNT: 3 });
    expect(
      rows.map(({ name, value, isText, takenFrom, replacesOwn }) => [name, value, isText, takenFrom, replacesOwn]),
    ).toEqual([
      ['HOST', '${environment.HOSTNAME}:80', true, ['HOSTNAME'], false],
      ['SVC_MODULE_DATA', '/data', true, [], true],
      ['COUNT', '3', false, [], false],
    ]);
  });

  it('hides every value except one that only refers to variables', () => {
    expect(['${environment.TOKEN}', ' ', '${environment.A} ${environment.B}'].every(isPlain)).toBe(true);
    expect(['hunter2', 'x${environment.TOKEN}', '${packages.model}', '${environment}'].some(isPlain)).toBe(false);
  });

  it('gives the fault of a name', () => {
    const env = { A: '1', B: '2', C: '3' };
    expect(nameFault(env, 'B', 'B')).toBeUndefined();
    expect(nameFault(env, 'C', 'B')).toBe('taken');
    expect(nameFault(env, '', 'B')).toBe('empty');
    expect(nameFault(env, '1B', 'B')).toBe('grammar');
    expect(freeVariable({ VARIABLE_1: '' })).toBe('VARIABLE_2');
  });
});
