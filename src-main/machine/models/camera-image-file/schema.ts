import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import { attributeError, type AttributeProblem } from '../../../../proto/config/models/attribute-problem.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

export const DEFAULT_FRAME_RATE = 5;

const elsewhere = 'Known from other servers, not used here.';

export const imageFileCameraSchema = {
  title: 'Camera of files',
  description:
    'Shows a picture, the pictures of a folder one after the other, or a video, instead of what a lens sees.',
  type: 'object',
  examples: [
    {
      color_image_file_path: '/home/pi/board.jpg',
      depth_image_file_path: '/home/pi/board-depth.png',
      frame_rate: 10,
    },
  ],
  additionalProperties: false,
  properties: {
    color_image_file_path: {
      type: 'string',
      title: 'Picture',
      description: 'The whole path of a JPEG or PNG, from /. It is read again for each picture and sent as it is.',
      'x-columns': 2,
      examples: ['/home/pi/board.jpg'],
    },
    folder_path: {
      type: 'string',
      title: 'Folder',
      description: 'The whole path of a folder: its JPEGs and PNGs are shown by name, part-2 before part-10.',
      'x-columns': 2,
      examples: ['/home/pi/pictures'],
    },
    video_path: {
      type: 'string',
      title: 'Video',
      description: 'The whole path of a video. ffmpeg has to be on the computer of the machine.',
      'x-columns': 2,
      examples: ['/home/pi/belt.mp4'],
    },
    depth_image_file_path: {
      type: 'string',
      title: 'Picture of depth',
      description: 'The whole path of a second picture, sent beside the first as source "depth".',
      'x-columns': 2,
    },
    frame_rate: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 60,
      default: DEFAULT_FRAME_RATE,
      title: 'Frame rate',
      description: 'Next pictures per second, at most. Nothing is read without a request, and no picture is left out.',
      'x-unit': '/s',
    },
    loop: {
      type: 'boolean',
      default: true,
      title: 'After the last one',
      description: 'Whether a folder or a video begins again at its end.',
      'x-words': ['End', 'Begin again'],
    },
    pointcloud_file_path: { type: 'string', deprecated: true, title: 'Point cloud', description: elsewhere },
    preloaded_image: { type: 'string', deprecated: true, title: 'Preloaded picture', description: elsewhere },
    intrinsic_parameters: { type: 'object', deprecated: true, title: 'Model of the lens', description: elsewhere },
    distortion_parameters: { type: 'object', deprecated: true, title: 'Distortion', description: elsewhere },
  },
} as const satisfies JsonSchema;

/** Attributes of camera model `image_file`. */
export type ImageFileCameraAttributes = ValueOf<typeof imageFileCameraSchema>;

/** Exactly one of these must be set. */
const places = ['color_image_file_path', 'folder_path', 'video_path'] as const;
const paths = [...places, 'depth_image_file_path'] as const;

/** Rules for the camera that its schema cannot express. */
export function checkImageFileCamera(attributes: ImageFileCameraAttributes): AttributeProblem[] {
  const given = places.filter((key) => isSet(attributes[key]));
  const [first, second] = given;
  const problems: AttributeProblem[] = [];
  if (first === undefined && !isSet(attributes.depth_image_file_path)) {
    problems.push(
      attributeError(
        '/color_image_file_path',
        'attribute.missing',
        'There is nothing to show: set "color_image_file_path", "folder_path" or "video_path".',
      ),
    );
  }
  if (second !== undefined) {
    problems.push(
      attributeError(
        `/${second}`,
        'attribute.conflict',
        `"${second}" cannot be used together with "${first}": keep one of them.`,
      ),
    );
  }
  for (const key of paths) {
    const path = attributes[key];
    if (!isSet(path) || path.startsWith('/')) continue;
    problems.push(
      attributeError(
        `/${key}`,
        'attribute.not_allowed',
        `"${key}" is ${JSON.stringify(path)}, which depends on where the program was started: write the whole path, from /.`,
      ),
    );
  }
  return problems;
}

/** An empty path counts as not set, as in other servers. */
export function isSet(path: string | undefined): path is string {
  return path !== undefined && path !== '';
}

export const model: ModelSchema = {
  api: 'core:component:camera',
  model: 'core:builtin:image_file',
  order: 58,
  summary: 'Pictures or a video of this computer, as if a camera saw them',
  mayCoexist: true,
  schema: imageFileCameraSchema,
  check: checkImageFileCamera,
};
