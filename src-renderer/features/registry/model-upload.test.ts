import { describe, expect, it } from 'vitest';
import type { Model } from '../../../proto/gen/core/hub/v1/models.ts';
import { checkModelFile, nameOfFile, nameProblem, readLabels, versionProblem } from './model-upload.ts';

const onnx = new Uint8Array([0x08, 0x08, 0x12, 0x05, 0x62, 0x65, 0x6e, 0x63, 0x68]);
const tflite = new TextEncoder().encode('\u001c\0\0\0TFL3and more');

describe('a model to upload', () => {
  it.each([
    ['best.onnx', onnx, { value: { framework: 'onnx' } }],
    ['BEST.TFLITE', tflite, { value: { framework: 'tflite' } }],
    ['best.pt', onnx, { problem: 'best.pt is no .onnx and no .tflite file.' }],
    ['best.onnx', tflite, { problem: expect.stringContaining('is a TFLite model') as string }],
    ['best.tflite', onnx, { problem: expect.stringContaining('no TFLite model') as string }],
    ['best.onnx', new Uint8Array(), { problem: expect.stringContaining('empty') as string }],
  ])('%s is checked by its name and its first bytes', async (name, bytes, expected) => {
    expect(await checkModelFile(new File([bytes], name))).toEqual(expected);
  });

  it('can have labels, one on each line', async () => {
    expect(await readLabels(new File(['nut\r\nbolt\n\n'], 'labels.txt'))).toEqual({ value: ['nut', 'bolt'] });
    expect(await readLabels(new File(['nut\n\nbolt'], 'labels.txt'))).toEqual({
      problem: 'Label 2 is empty. Write one label on each line.',
    });
    expect(await readLabels(new File(['\n'], 'labels.txt'))).toEqual({
      problem: 'labels.txt has no label. Write one on each line.',
    });
  });

  it('needs a version that is not there yet, and a valid name', () => {
    const parts = { organizationId: 'org-1', name: 'parts' };
    const models = [{ ...parts, versions: [{ version: '1.0.0' }] }] as Model[];
    expect(versionProblem('1.0.0', parts, models)).toBe('parts 1.0.0 is there already. Choose another version.');
    expect(versionProblem('1.0.0', { ...parts, organizationId: 'org-2' }, models)).toBe('');
    expect(versionProblem('1.0.1', parts, models)).toBe('');
    expect(versionProblem('latest', parts, models)).toContain('channel');
    expect(nameProblem('a b')).toContain('not allowed');
    expect(nameProblem(nameOfFile('my model.v2.onnx'))).toBe('');
    expect(nameOfFile('my model.v2.onnx')).toBe('my_model_v2');
  });
});
