import { describe, expect, it } from 'vitest';
import { findOutputs, type Output } from './outputs.ts';

const out = (name: string, shape: readonly number[], dataType = 'float32', values?: readonly number[]): Output => ({
  name,
  dataType,
  shape,
  values,
});

const ssd = [out('location', [1, 10, 4]), out('category', [1, 10]), out('score', [1, 10]), out('count', [1])];
const unnamed = [out('o0', [1, 10, 4]), out('o1', [1, 10]), out('o2', [1, 10])];

describe('which output is what', () => {
  it.each<[string, readonly Output[], Readonly<Record<string, string>> | undefined, unknown]>([
    [
      'by the required names',
      ssd,
      undefined,
      { detector: { location: 'location', score: 'score', category: 'category' }, classifier: undefined },
    ],
    [
      'by names that are configured',
      unnamed,
      { o0: 'location', o1: 'score', o2: 'category' },
      { detector: { location: 'o0', score: 'o1', category: 'o2' }, classifier: undefined },
    ],
    [
      'by shapes, where values must tell the rest',
      unnamed,
      undefined,
      { detector: { location: 'o0', score: undefined, category: undefined }, classifier: undefined },
    ],
    [
      'by whole numbers, which are labels',
      [out('o0', [1, 3, 4]), out('o1', [1, 3], 'float32', [0, 2, 1]), out('o2', [1, 3], 'float32', [0.9, 0.5, 0])],
      undefined,
      { detector: { location: 'o0', score: 'o2', category: 'o1' }, classifier: undefined },
    ],
    [
      'by the type of the labels',
      [out('o0', [1, 3, 4]), out('o1', [1, 3]), out('o2', [1, 3], 'int64')],
      undefined,
      { detector: { location: 'o0', score: 'o1', category: 'o2' }, classifier: undefined },
    ],
    [
      'with scores for each label, and so without categories',
      [out('boxes', [1, 100, 4]), out('scores', [1, 100, 80])],
      undefined,
      { detector: { location: 'boxes', score: 'scores', category: undefined }, classifier: undefined },
    ],
    [
      'a classifier by its only output',
      [out('logits', [1, 5])],
      undefined,
      { detector: undefined, classifier: 'logits' },
    ],
    [
      'a classifier by its name among others',
      [out('features', [1, 64]), out('probability', [1, 5])],
      undefined,
      { detector: undefined, classifier: 'probability' },
    ],
    [
      'both',
      [...ssd, out('probability', [1, 5])],
      undefined,
      { detector: { location: 'location', score: 'score', category: 'category' }, classifier: 'probability' },
    ],
    ['nothing', [out('a', [1, 5]), out('b', [1, 6])], undefined, { detector: undefined, classifier: undefined }],
    [
      'what stands for something else is not what it is called',
      [out('probability', [1, 10]), out('location', [1, 10, 4]), out('c', [1, 10])],
      { probability: 'score', c: 'category' },
      { detector: { location: 'location', score: 'probability', category: 'c' }, classifier: undefined },
    ],
  ])('%s', (_what, outputs, remap, expected) => {
    expect(findOutputs(outputs, remap)).toEqual(expected);
    expect(findOutputs(outputs.toReversed(), remap)).toEqual(expected);
  });

  it('names the outputs there are where one is remapped that is not there', () => {
    expect(() => findOutputs(unnamed, { StatefulPartitionedCall: 'location' })).toThrow(
      'remap_output_names names the output "StatefulPartitionedCall", which the model does not have; it has "o0" (float32 [1, 10, 4]), "o1" (float32 [1, 10]), "o2" (float32 [1, 10])',
    );
  });
});
