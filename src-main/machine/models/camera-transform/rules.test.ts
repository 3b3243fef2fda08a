import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findsThings, stepTypes, transformSchema, type Step } from './attributes.ts';
import { checkTransform, croppedRegion } from './rules.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import { catalogOf } from '../catalog-of.ts';
import { referencesIn } from '../references.ts';
import { model } from './schema.ts';

const problems = (...pipeline: readonly Step[]) =>
  checkTransform({ source: 'eye', pipeline }).map(({ pointer, code }) => `${pointer} ${code}`);
const crop = (x_min_px: number, y_min_px: number, x_max_px: number, y_max_px: number): Step => ({
  type: 'crop',
  attributes: { x_min_px, y_min_px, x_max_px, y_max_px },
});
const resize = (width_px: number, height_px: number): Step => ({ type: 'resize', attributes: { width_px, height_px } });

describe('the steps of a transformed camera', () => {
  it('may be all that there are', () => {
    expect(
      problems(
        crop(10, 10, 100, 60),
        resize(320, 240),
        { type: 'rotate' },
        { type: 'detections', attributes: { detector_name: 'find', confidence_threshold: 0.5, valid_labels: ['cup'] } },
        { type: 'classifications', attributes: { classifier_name: 'sort', max_classifications: 3 } },
      ),
    ).toEqual([]);
  });

  it('need what they cannot do without', () => {
    expect(problems({ type: 'crop' })).toEqual([
      '/pipeline/0/attributes/x_max_px attribute.out_of_range',
      '/pipeline/0/attributes/y_max_px attribute.out_of_range',
    ]);
    expect(problems(resize(0, 240), { type: 'resize', attributes: { width_px: 1 } })).toEqual([
      '/pipeline/0/attributes/width_px attribute.missing',
      '/pipeline/1/attributes/height_px attribute.missing',
    ]);
    expect(problems({ type: 'detections' }, { type: 'classifications', attributes: { classifier_name: '' } })).toEqual([
      '/pipeline/0/attributes/detector_name attribute.missing',
      '/pipeline/1/attributes/classifier_name attribute.missing',
    ]);
  });

  it('have no attributes of other steps', () => {
    expect(problems({ type: 'rotate', attributes: { angle_degs: 90, width_px: 3 } })).toEqual([
      '/pipeline/0/attributes/width_px attribute.unknown',
    ]);
  });

  it('cannot crop what is not in a picture of a size that is known', () => {
    const outside = ['/pipeline/1/attributes/x_max_px attribute.out_of_range'];
    expect(problems(resize(100, 50), crop(100, 0, 120, 50))).toEqual(outside);
    expect(problems(resize(100, 50), crop(99, 0, 120, 50))).toEqual([]);
    const turned: Step = { type: 'rotate', attributes: { angle_degs: 90 } };
    expect(problems(resize(100, 50), turned, crop(60, 0, 80, 50))).toEqual([outside[0]!.replace('1', '2')]);
    expect(problems(resize(100, 50), crop(0, 0, 20, 20), crop(20, 0, 30, 20))).toEqual([outside[0]!.replace('1', '2')]);
    // The size after another rotation depends on the picture itself.
    expect(
      problems(resize(100, 50), { type: 'rotate', attributes: { angle_degs: 45 } }, crop(110, 0, 120, 50)),
    ).toEqual([]);
    expect(problems(crop(5_000, 0, 5_001, 50))).toEqual([]);
  });
});

describe('a crop', () => {
  const regionOf = (step: Step, width: number, height: number) => {
    const region = croppedRegion(step.attributes!, { width, height });
    return region && [region.left, region.top, region.width, region.height];
  };

  it('is of pixels, or of shares where no side is more than 1', () => {
    expect(regionOf(crop(10, 20, 30, 25), 100, 50)).toEqual([10, 20, 20, 5]);
    expect(regionOf(crop(0.5, 0, 1, 0.5), 100, 50)).toEqual([50, 0, 50, 25]);
    // As in the public server.
    expect(regionOf(crop(0, 0, 1, 1), 100, 50)).toEqual([0, 0, 1, 1]);
  });

  it('leaves out what goes beyond the picture, and is none outside of it', () => {
    expect(regionOf(crop(90, 40, 500, 500), 100, 50)).toEqual([90, 40, 10, 10]);
    expect(regionOf(crop(100, 0, 500, 50), 100, 50)).toBeUndefined();
    expect(regionOf(crop(10.2, 0, 10.8, 50), 100, 50)).toBeUndefined();
  });

  it('is always in the picture', () => {
    const side = fc.double({ min: 0, max: 3_000, noNaN: true });
    const length = fc.integer({ min: 1, max: 2_000 });
    fc.assert(
      fc.property(side, side, side, side, length, length, (x, y, right, bottom, width, height) => {
        const region = croppedRegion(crop(x, y, right, bottom).attributes!, { width, height });
        if (region === undefined) return;
        expect(Math.min(region.left, region.top)).toBeGreaterThanOrEqual(0);
        expect(Math.min(region.width, region.height)).toBeGreaterThanOrEqual(1);
        expect(region.left + region.width).toBeLessThanOrEqual(width);
        expect(region.top + region.height).toBeLessThanOrEqual(height);
      }),
    );
  });
});

describe('what a transformed camera needs', () => {
  const attributes: JsonObject = {
    source: 'eye',
    pipeline: [
      { type: 'resize', attributes: { width_px: 10, height_px: 10 } },
      { type: 'detections', attributes: { detector_name: 'find' } },
      { type: 'classifications', attributes: { classifier_name: 'sort' } },
    ],
  };

  it('is its camera and the vision services of its steps', () => {
    const catalog = catalogOf({
      schemas: { './camera-transform/schema.ts': model },
      machineRules: {},
      builders: { './camera-transform/build.ts': async () => (await import('./build.ts')).build as never },
    });
    const entry = catalog.find('core:component:camera', 'core:builtin:transform');
    expect(entry?.dependencies?.(attributes)).toEqual({ required: ['eye', 'find', 'sort'], optional: [] });
    expect(referencesIn(transformSchema, attributes)).toContainEqual({
      name: 'find',
      api: 'core:service:vision',
      pointer: '/pipeline/1/attributes/detector_name',
    });
  });

  it('tells whether it asks vision services, whatever its attributes are', () => {
    expect(findsThings(attributes)).toBe(true);
    for (const type of stepTypes) {
      expect(findsThings({ source: 'eye', pipeline: [{ type }] })).toBe(
        type === 'detections' || type === 'classifications',
      );
    }
    for (const broken of [{}, { pipeline: 'detections' }, { pipeline: [null, 'detections', {}] }]) {
      expect(findsThings(broken)).toBe(false);
    }
  });
});
