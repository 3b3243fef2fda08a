import { describe, expect, it } from 'vitest';
import { scriptArgumentsProblem, trainingScriptProblem, trainingScriptRoot } from './training-script.ts';

describe('a training script', () => {
  it.each([
    [['setup.py', 'model/training.py', 'model/__init__.py'], ''],
    [['./setup.py', './model/training.py'], ''],
    [['my-script-1.0/setup.py', 'my-script-1.0/model/training.py', 'PKG-INFO'], 'my-script-1.0/'],
  ])('of %j is in "%s"', (names, root) => {
    expect(trainingScriptRoot(names)).toBe(root);
    expect(trainingScriptProblem(names)).toBeUndefined();
  });

  it.each([
    [['setup.py'], /it has no model\/training\.py\./],
    [['a/model/training.py'], /it has no setup\.py\./],
    [['train.py'], /it has no setup\.py and no model\/training\.py\./],
    [['setup.py', 'a/model/training.py'], /are not in the same folder/],
    [['a/b/setup.py', 'a/b/model/training.py'], /are not in the same folder/],
  ])('is not %j', (names, problem) => {
    expect(trainingScriptRoot(names)).toBeUndefined();
    expect(trainingScriptProblem(names)).toMatch(problem);
  });

  it.each([
    [{ num_epochs: '3', 'learning-rate': '', A1: 'x y' }, undefined],
    [{ 'a b': '1' }, /"a b" is not allowed/],
    [{ '': '1' }, /is not allowed/],
    [{ 'x=y': '1' }, /is not allowed/],
    [{ dataset_file: '/etc/passwd' }, /is given by the hub/],
    [{ a: 'x'.repeat(4_001) }, /4001 characters/],
    [{ a: 'x\0' }, /no NUL/],
    [Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`a${index}`, ''])), /101 arguments/],
  ])('is given arguments: %j', (given, problem) => {
    if (problem === undefined) expect(scriptArgumentsProblem(given)).toBeUndefined();
    else expect(scriptArgumentsProblem(given)).toMatch(problem);
  });
});
