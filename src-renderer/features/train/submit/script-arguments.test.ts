import { describe, expect, it } from 'vitest';
import { readArguments } from './script-arguments.ts';

describe('arguments of a training script', () => {
  it('are read one per line, as typed or as on a command line', () => {
    expect(readArguments('num_epochs=30\n\n --rate = 0.5 \nfilter=a=b\n')).toEqual({
      values: { num_epochs: '30', rate: '0.5', filter: 'a=b' },
    });
    expect(readArguments('')).toEqual({ values: {} });
  });

  it.each([
    ['num_epochs', /"num_epochs" is no argument/],
    ['a=1\na=2', /"a" is there twice/],
    ['a b=1', /"a b" is not allowed/],
    ['dataset_file=x', /is given by the hub/],
  ])('say what is wrong with %j', (text, problem) => {
    expect(readArguments(text)).toEqual({ problem: expect.stringMatching(problem) as string });
  });
});
