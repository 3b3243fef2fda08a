import { UNKNOWN_LABEL } from '../../../../proto/config/datasets/training-rules.ts';
import { fileBox, pictureName, type FileLabels } from './file-picture.ts';
import { listIn, numberIn, objectIn, parsedObject, textIn } from './json-value.ts';

/**
 * Reads a dataset file in the public format of training scripts, where `VIAM_UNKNOWN` marks a picture without a label.
 * @throws {ArmatureError} `call.bad_argument` with file and line
 */
export function readDatasetLines(file: string, text: string): FileLabels[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const place = `${file}, line ${index + 1}`;
    const entry = parsedObject(place, line);
    const annotations = (key: string) => listIn(place, entry, key).map((value) => objectIn(place, value));
    const tags = annotations('classification_annotations').map((each) => textIn(place, each, 'annotation_label'));
    const boxes = annotations('bounding_box_annotations').map((each) =>
      fileBox(place, {
        label: textIn(place, each, 'annotation_label'),
        left: numberIn(place, each, 'x_min_normalized'),
        top: numberIn(place, each, 'y_min_normalized'),
        right: numberIn(place, each, 'x_max_normalized'),
        bottom: numberIn(place, each, 'y_max_normalized'),
      }),
    );
    const name = pictureName(place, textIn(place, entry, 'image_path'));
    return [{ file: name, boxes, tags: [...new Set(tags)].filter((tag) => tag !== UNKNOWN_LABEL).sort() }];
  });
}
