import { describe, expect, it } from 'vitest';
import { CaptureAllFromCameraResponse, Detection } from '../../../../proto/gen/core/service/vision/v1/vision.ts';
import { boxesOf, classesOf, colorOf, COLOR_COUNT, timingsOf } from './found.ts';

const size = { width: 200, height: 100 };
const shares = { xMinNormalized: 0.1, yMinNormalized: 0.2, xMaxNormalized: 0.5, yMaxNormalized: 1.5 };

describe('what a vision service found', () => {
  it('is placed by shares of the picture, else by pixels, most confident first, and never outside', () => {
    const detections = [
      Detection.fromPartial({ className: 'cat', confidence: 0.5, ...shares }),
      Detection.fromPartial({ className: 'dog', confidence: 0.9, xMin: 20n, yMin: 10n, xMax: 60n, yMax: 50n }),
      Detection.fromPartial({ className: 'nowhere', confidence: 1 }),
    ];
    expect(boxesOf(detections, size)).toEqual([
      { label: 'dog', confidence: 0.9, left: 10, top: 10, width: 20, height: 40, color: colorOf('dog') },
      { label: 'cat', confidence: 0.5, left: 10, top: 20, width: 40, height: 80, color: colorOf('cat') },
    ]);
    // While the size of the picture is not known, pixels cannot be placed.
    expect(boxesOf(detections, { width: 0, height: 0 }).map(({ label }) => label)).toEqual(['cat']);
  });

  it('has the most confident classes first, and only the first five', () => {
    const classifications = [0.1, 0.5, 0.2, 0.05, 0.03, 0.12].map((confidence, at) => ({
      ...{ className: `c${at}`, confidence },
    }));
    const found = classesOf(CaptureAllFromCameraResponse.fromPartial({ classifications }));
    expect(found.map(({ label }) => label)).toEqual(['c1', 'c2', 'c5', 'c0', 'c3']);
  });

  it('has the time that each step took, where the service reports it', () => {
    const extra = { picture_ms: 4, prepare_ms: '5', infer_ms: 12.5 };
    expect(timingsOf({ extra })).toEqual({ taken: 4, prepared: undefined, inferred: 12.5 });
    expect(timingsOf({ extra: undefined })).toEqual({ taken: undefined, prepared: undefined, inferred: undefined });
  });

  it('has a fixed colour for each label', () => {
    expect(colorOf('cat')).toBe(colorOf('cat'));
    expect(new Set(['cat', 'dog', 'cup', 'car', 'nut', 'bolt', 'washer'].map(colorOf)).size).toBeGreaterThan(2);
    expect(colorOf('')).toBeLessThan(COLOR_COUNT);
  });
});
