import { describe, expect, it } from 'vitest';
import { packageNameProblem } from '../../../../proto/config/model-meta.ts';
import { modelNameFrom } from './model-name.ts';

describe('the name of a model from that of its dataset', () => {
  it.each([
    ['Screws', 'screws'],
    ['Screws & Nuts (line 2)', 'screws-nuts-line-2'],
    ['  Käfer_groß ', 'kafer-gro'],
    ['ねじ', 'model'],
    ['--', 'model'],
    [`${'a'.repeat(59)} b`, 'a'.repeat(59)],
    ['x'.repeat(500), 'x'.repeat(60)],
  ])('%j is %s', (dataset, name) => {
    expect(modelNameFrom(dataset)).toBe(name);
    expect(packageNameProblem(name)).toBeUndefined();
  });
});
