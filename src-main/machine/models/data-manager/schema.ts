import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

export const DEFAULT_SYNC_MINUTES = 0.1;
export const DEFAULT_FILE_BYTES = 256 * 1024;
export const DEFAULT_FILE_RESTS_MS = 10_000;
export const DEFAULT_DISK_USED = 0.9;
export const DEFAULT_DISK_CAPTURED = 0.5;

const dataManagerSchema = {
  title: 'Data manager',
  description: 'Captures what resources say, as they are configured to, and brings it to the hub.',
  type: 'object',
  examples: [
    {
      sync_interval_mins: 5,
      tags: ['bench'],
      selective_syncer_name: 'sensor-1',
      additional_sync_paths: ['/home/pi/results'],
      file_last_modified_millis: 60_000,
      capture_dir: '/home/pi/captured',
      maximum_capture_file_size_bytes: 1_048_576,
      maximum_num_sync_threads: 2,
      disk_usage_deletion_threshold: 0.8,
      capture_dir_deletion_threshold: 0.3,
    },
  ],
  additionalProperties: false,
  properties: {
    capture_disabled: {
      type: 'boolean',
      default: false,
      title: 'Capture off',
      description: 'Captures nothing. Earlier data is still sent to the hub.',
      'x-in-place': true,
    },
    sync_disabled: {
      type: 'boolean',
      default: false,
      title: 'Sync off',
      description: 'Keeps captured data here until a sync is requested.',
      'x-in-place': true,
    },
    sync_interval_mins: {
      type: 'number',
      default: DEFAULT_SYNC_MINUTES,
      minimum: 0,
      title: 'Sync interval',
      description: 'How often captured data is sent to the hub. 0 is the default interval.',
      'x-unit': 'min',
      'x-in-place': true,
    },
    tags: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      title: 'Tags',
      description: 'Kept with everything that is captured, in place of the tags of each method.',
      'x-in-place': true,
    },
    selective_syncer_name: {
      type: 'string',
      title: 'Sync sensor',
      description: 'Data is sent to the hub only while the reading should_sync of this sensor is true.',
      'x-in-place': true,
    },
    additional_sync_paths: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      title: 'Other files',
      description: 'Files and folders of this computer that go to the hub too. They stay where they are.',
      'x-in-place': true,
    },
    file_last_modified_millis: {
      type: 'integer',
      default: DEFAULT_FILE_RESTS_MS,
      minimum: 0,
      title: 'Files rest for',
      description: 'Other files are sent once they have not changed for this long.',
      'x-unit': 'ms',
      'x-in-place': true,
    },
    capture_dir: {
      type: 'string',
      minLength: 1,
      title: 'Folder',
      description: 'Where captured data waits for the hub. Absent: a folder of this machine in the home of the server.',
    },
    maximum_capture_file_size_bytes: {
      type: 'integer',
      default: DEFAULT_FILE_BYTES,
      minimum: 4096,
      maximum: 16 * 1024 * 1024,
      title: 'File size',
      description: 'A capture file that is larger is followed by another.',
      'x-unit': 'bytes',
      'x-in-place': true,
    },
    maximum_num_sync_threads: {
      type: 'integer',
      minimum: 1,
      maximum: 64,
      title: 'Uploads at once',
      description: 'Absent: half as many as this computer has processors, at least 1.',
      'x-in-place': true,
    },
    disk_usage_deletion_threshold: {
      type: 'number',
      default: DEFAULT_DISK_USED,
      minimum: 0,
      maximum: 1,
      title: 'Disk in use',
      description:
        'Where so much of the disk is in use, and captured data has the share below, the oldest captured data is deleted.',
      'x-in-place': true,
    },
    capture_dir_deletion_threshold: {
      type: 'number',
      default: DEFAULT_DISK_CAPTURED,
      minimum: 0,
      maximum: 1,
      title: 'Captured share',
      description: 'Share of the disk that captured data has before any of it is deleted.',
      'x-in-place': true,
    },
    delete_every_nth_when_disk_full: {
      title: 'Every nth file',
      type: 'integer',
      minimum: 1,
      description: 'Has no effect here: on a full disk the oldest data is deleted first.',
      deprecated: true,
    },
  },
} as const satisfies JsonSchema;

export type DataManagerAttributes = ValueOf<typeof dataManagerSchema>;

export const model: ModelSchema = {
  api: 'core:service:data_manager',
  model: 'core:builtin:builtin',
  order: 90,
  summary: 'Captures data and brings it to the hub',
  mayCoexist: false,
  schema: dataManagerSchema,
};
