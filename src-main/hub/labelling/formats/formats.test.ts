import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cocoText, readCoco } from './coco.ts';
import type { FileLabels, FilePicture } from './file-picture.ts';
import { readDatasetLines } from './json-lines.ts';
import { readYoloSettings, readYoloText, yoloLabels, yoloSettings, yoloText } from './yolo.ts';

const label = fc.oneof(fc.constantFrom('screw', 'nut', 'M4: "long"', '- no', 'yes', '1'), fc.string({ minLength: 1 }));
const edge = fc
  .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
  .filter(([from, to]) => to - from > 1e-6);
const box = fc
  .tuple(label, edge, edge)
  .map(([name, [left, right], [top, bottom]]) => ({ label: name, left, top, right, bottom }));
const pictures: fc.Arbitrary<readonly FilePicture[]> = fc
  .array(
    fc.record({
      width: fc.integer({ min: 1, max: 8_000 }),
      height: fc.integer({ min: 1, max: 8_000 }),
      boxes: fc.array(box, { maxLength: 5 }),
      tags: fc.uniqueArray(label, { maxLength: 3 }).map((tags) => tags.sort()),
    }),
    { maxLength: 4 },
  )
  .map((each) => each.map((picture, index) => ({ ...picture, file: `${index}.jpg` })));

/** Compares, apart from rounding. */
function expectSame(found: readonly Omit<FileLabels, 'file'>[], wanted: readonly FilePicture[], hasTags = true): void {
  expect(found.length).toBe(wanted.length);
  for (const [index, { boxes, tags }] of wanted.entries()) {
    const each = found[index];
    if (hasTags) expect(each?.tags).toEqual(tags);
    expect(each?.boxes.map((one) => one.label)).toEqual(boxes.map((one) => one.label));
    for (const [at, one] of boxes.entries()) {
      for (const key of ['left', 'top', 'right', 'bottom'] as const) {
        expect(Math.abs((each?.boxes[at]?.[key] ?? NaN) - one[key])).toBeLessThan(1e-9);
      }
    }
  }
}

const refused = (place: string) =>
  expect.objectContaining({ code: 'call.bad_argument', message: expect.stringContaining(place) as string }) as Error;

describe('files of datasets', () => {
  it('in COCO are read as they were written', () => {
    fc.assert(fc.property(pictures, (each) => expectSame(readCoco('coco.json', cocoText(each)), each)));
  });

  it('for YOLO are read as they were written, except labels of whole pictures', () => {
    fc.assert(
      fc.property(pictures, (each) => {
        const labels = yoloLabels(each);
        const names = readYoloSettings('data.yaml', yoloSettings(labels));
        const found = each.map((picture) => ({
          boxes: readYoloText('a.txt', yoloText(picture, labels), names),
          tags: [],
        }));
        expectSame(found, each, false);
      }),
    );
  });

  it('for YOLO may list the names of their classes', () => {
    const names = readYoloSettings('data.yaml', 'nc: 2\nnames: [screw, nut]\n');
    expect([...names]).toEqual([
      [0, 'screw'],
      [1, 'nut'],
    ]);
  });

  it('as JSON lines are read, and VIAM_UNKNOWN is no label', () => {
    const line = (more: object) => JSON.stringify({ image_path: '/gcs/bucket/data/a.jpg', ...more });
    const bounding = { annotation_label: 'nut', x_min_normalized: 0, x_max_normalized: 0.5, y_min_normalized: 0 };
    const text = [
      line({ classification_annotations: [{ annotation_label: 'VIAM_UNKNOWN' }] }),
      line({ bounding_box_annotations: [{ ...bounding, y_max_normalized: 1 }] }),
    ].join('\n');
    expect(readDatasetLines('dataset.jsonl', `${text}\n\n`)).toEqual([
      { file: 'a.jpg', boxes: [], tags: [] },
      { file: 'a.jpg', boxes: [{ label: 'nut', left: 0, top: 0, right: 0.5, bottom: 1 }], tags: [] },
    ]);
  });

  it('that are wrong are refused with the place of the mistake', () => {
    const names = new Map([[0, 'screw']]);
    const image = { id: 1, file_name: 'a.jpg', width: 10, height: 10 };
    const coco = (more: object) => JSON.stringify({ images: [image], categories: [{ id: 1, name: 'nut' }], ...more });
    const annotation = { id: 1, image_id: 1, category_id: 1, bbox: [0, 0, 5, 5] };
    const wrong: readonly (readonly [string, () => unknown])[] = [
      ['a.txt, line 2', () => readYoloText('a.txt', '0 0.5 0.5 1 1\n1 0.5 0.5 1 1', names)],
      ['a.txt, line 1', () => readYoloText('a.txt', '0 0.5 0.5 1', names)],
      ['a.txt, line 1', () => readYoloText('a.txt', '0 0.5 0.5 1 x', names)],
      ['a.txt, line 3', () => readYoloText('a.txt', '\n\n0 0.9 0.5 1 1', names)],
      ['data.yaml, line 1', () => readYoloSettings('data.yaml', 'names: [a')],
      ['data.yaml', () => readYoloSettings('data.yaml', 'nc: 2')],
      ['coco.json', () => readCoco('coco.json', '{')],
      ['images[0]', () => readCoco('coco.json', JSON.stringify({ images: [{ ...image, width: '10' }] }))],
      [
        'annotations[1]',
        () => readCoco('coco.json', coco({ annotations: [annotation, { ...annotation, image_id: 2 }] })),
      ],
      ['annotations[0]', () => readCoco('coco.json', coco({ annotations: [{ ...annotation, bbox: [0, 0, 50, 5] }] }))],
      ['annotations[0]', () => readCoco('coco.json', coco({ annotations: [{ ...annotation, bbox: [0, 0, 5] }] }))],
      ['dataset.jsonl, line 2', () => readDatasetLines('dataset.jsonl', '{"image_path":"a.jpg"}\n{"image_path":')],
      ['dataset.jsonl, line 1', () => readDatasetLines('dataset.jsonl', '{"image_path":".."}')],
    ];
    for (const [place, read] of wrong) expect(read, place).toThrow(refused(place));
  });
});
