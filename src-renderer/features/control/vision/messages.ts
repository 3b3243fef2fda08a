import { pictureMessages } from '../camera/messages.ts';

/** Sentences of this folder alone. */
export const visionMessages = {
  ...pictureMessages,
  vision: {
    camera: 'Camera',
    noCamera: 'This machine has no camera that is ready. Add one on the Configure page.',
    picture: 'Picture of {camera}, with what was found in it',
    noPicture: 'the answer has no picture',
    failed: 'No result: {reason}',
    failing: 'No new result since {time}: {reason}',
    taken: 'picture',
    prepared: 'preparing',
    inferred: 'model',
    milliseconds: 'ms',
    confidence: 'Minimum confidence',
    percent: '{value} %',
    boxes: 'Show boxes',
    found: 'Boxes in the picture',
    count: '{shown} of {all} boxes',
    nothing: 'Nothing in this picture reaches the minimum confidence.',
    classes: 'What the picture shows',
  },
} as const;
