import { badFile, boxLabels, fileBox, pictureName, type FileLabels, type FilePicture } from './file-picture.ts';
import { listIn, numberIn, objectIn, parsedObject, textIn } from './json-value.ts';

/**
 * COCO annotations for object detection: boxes in pixels with their top left corner. COCO has no labels for whole
 * pictures: they are in `tags` of each image, which other readers ignore.
 */
export function cocoText(pictures: readonly FilePicture[]): string {
  const labels = boxLabels(pictures);
  const categories = labels.map((name, index) => ({ id: index + 1, name, supercategory: '' }));
  const images = pictures.map(({ file, width, height, tags }, index) => ({
    ...{ id: index + 1, file_name: file, width, height },
    ...(tags.length > 0 ? { tags } : {}),
  }));
  const boxes = pictures.flatMap(({ boxes: each, width, height }, index) =>
    each.map(({ label, left, top, right, bottom }) => {
      const size = [(right - left) * width, (bottom - top) * height] as const;
      return {
        ...{ image_id: index + 1, category_id: labels.indexOf(label) + 1, iscrowd: 0 },
        ...{ bbox: [left * width, top * height, ...size], area: size[0] * size[1] },
      };
    }),
  );
  const annotations = boxes.map((box, index) => ({ id: index + 1, ...box }));
  return `${JSON.stringify({ images, categories, annotations })}\n`;
}

/** Reads a COCO file. @throws {ArmatureError} `call.bad_argument` with the file and the entry */
export function readCoco(file: string, text: string): FileLabels[] {
  const root = parsedObject(file, text);
  const entriesOf = (key: string) =>
    listIn(file, root, key).map((value, index) => {
      const place = `${file}, ${key}[${index}]`;
      return { place, entry: objectIn(place, value) };
    });
  const names = new Map(
    entriesOf('categories').map(({ place, entry }) => [numberIn(place, entry, 'id'), textIn(place, entry, 'name')]),
  );
  const pictures = new Map(
    entriesOf('images').map(({ place, entry }) => {
      const tags = listIn(place, entry, 'tags').filter((tag) => typeof tag === 'string');
      const size = { width: numberIn(place, entry, 'width'), height: numberIn(place, entry, 'height') };
      if (size.width <= 0 || size.height <= 0) throw badFile(place, 'the picture has no size.');
      const name = pictureName(place, textIn(place, entry, 'file_name'));
      return [numberIn(place, entry, 'id'), { file: name, tags, ...size, boxes: [] as FilePicture['boxes'][number][] }];
    }),
  );
  for (const { place, entry } of entriesOf('annotations')) {
    const imageId = numberIn(place, entry, 'image_id');
    const categoryId = numberIn(place, entry, 'category_id');
    const [picture, label] = [pictures.get(imageId), names.get(categoryId)];
    if (picture === undefined) throw badFile(place, `"image_id" is ${imageId}, which is the id of no image.`);
    if (label === undefined) throw badFile(place, `"category_id" is ${categoryId}, which is the id of no category.`);
    const bbox = listIn(place, entry, 'bbox');
    if (bbox.length !== 4 || !bbox.every((value) => typeof value === 'number')) {
      throw badFile(place, '"bbox" is to be four numbers: left, top, width, height.');
    }
    const [x, y, width, height] = bbox as [number, number, number, number];
    const { boxes, width: whole, height: tall } = picture;
    const edges = { left: x / whole, top: y / tall, right: (x + width) / whole, bottom: (y + height) / tall };
    boxes.push(fileBox(place, { label, ...edges }));
  }
  return [...pictures.values()].map(({ file: name, boxes, tags }) => ({ file: name, boxes, tags }));
}
