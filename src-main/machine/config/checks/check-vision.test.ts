import { describe, expect, it } from 'vitest';
import { builtinCatalog } from '../../models/catalog.ts';
import { parseConfig } from '../reading/parse-config.ts';

function problemsWith(step: string) {
  const camera = (name: string, model: string, attributes: object) => ({
    ...{ name, api: 'rdk:component:camera', model, attributes },
  });
  const pipeline =
    step === 'rotate'
      ? [{ type: 'rotate', attributes: {} }]
      : [{ type: step, attributes: { detector_name: 'eyes', classifier_name: 'eyes' } }];
  const text = JSON.stringify({
    components: [camera('cam', 'fake', {}), camera('drawn', 'transform', { source: 'cam', pipeline })],
    services: [
      {
        ...{ name: 'net', api: 'rdk:service:mlmodel', model: 'onnx_cpu' },
        attributes: { model_path: '/model.onnx' },
      },
      {
        ...{ name: 'eyes', api: 'rdk:service:vision', model: 'mlmodel' },
        attributes: { mlmodel_name: 'net', camera_name: 'drawn' },
      },
    ],
  });
  const { problems } = parseConfig(text, { file: '', environment: {}, catalog: builtinCatalog });
  return problems.filter(({ pointer }) => pointer === '/services/1/attributes/camera_name');
}

describe('the usual camera of a vision service', () => {
  it('is none that draws what was found', () => {
    for (const step of ['detections', 'classifications']) {
      expect(problemsWith(step)).toMatchObject([
        { severity: 'error', code: 'attribute.not_allowed', found: '"drawn"' },
      ]);
    }
    expect(problemsWith('rotate')).toEqual([]);
  });
});
