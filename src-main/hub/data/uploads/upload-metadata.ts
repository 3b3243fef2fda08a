import path from 'node:path';
import { canonicalApi } from '../../../../proto/config/names.ts';
import {
  DataType,
  MimeType,
  type SensorMetadata,
  type UploadMetadata,
} from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { IngestedData } from '../../events/event-kinds.ts';
import { checkTags, checkText } from '../captures/labels.ts';
import { parametersText } from '../captures/method-parameters.ts';

const MAX_NAME_CHARS = 200;
const MAX_FILE_NAME_CHARS = 4_096;
const MAX_PARAMETERS_CHARS = 16 * 1024;
const MAX_DATASETS = 20;
/** The end of the year 9999, the latest time that protobuf allows. */
const MAX_TIME_MS = 253_402_300_799_999;

const types: Readonly<Record<number, IngestedData['type'] | undefined>> = {
  [DataType.UNSPECIFIED]: 'unspecified',
  [DataType.BINARY_SENSOR]: 'binary',
  [DataType.TABULAR_SENSOR]: 'tabular',
  [DataType.FILE]: 'file',
};
const mimeTypes: Readonly<Record<number, string | undefined>> = {
  [MimeType.IMAGE_JPEG]: 'image/jpeg',
  [MimeType.IMAGE_PNG]: 'image/png',
  [MimeType.APPLICATION_PCD]: 'pointcloud/pcd',
  [MimeType.VIDEO_MP4]: 'video/mp4',
};
/** Used if neither the sender nor the sensor gives a MIME type. */
const mimeTypesOfExtensions: Readonly<Record<string, string | undefined>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.pcd': 'pointcloud/pcd',
  '.mp4': 'video/mp4',
};

/** The checked metadata of an upload. */
export interface UploadInfo {
  readonly partId: string;
  readonly type: IngestedData['type'];
  /** In our spelling. */
  readonly componentType: string;
  readonly componentName: string;
  readonly methodName: string;
  readonly parameters: string;
  readonly tags: readonly string[];
  readonly datasetIds: readonly string[];
  readonly fileName: string;
  /** With its dot; '' for none. */
  readonly fileExt: string;
  readonly mimeType: string;
  /** Times of a file, which are used if the upload has no others. */
  readonly createdAt: Date | undefined;
  readonly modifiedAt: Date | undefined;
}

/** When a resource was asked and when its answer was received, wall-clock milliseconds. */
export interface CaptureTimes {
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** @throws {ArmatureError} `call.bad_argument` */
export function uploadInfoOf(metadata: UploadMetadata | undefined, sensor?: SensorMetadata): UploadInfo {
  if (metadata === undefined) {
    throw new ArmatureError('call.bad_argument', 'The upload begins without its metadata: send that first.');
  }
  const { partId, componentType, datasetIds, fileName } = metadata;
  const fileExt = metadata.fileExtension || path.extname(fileName);
  const parameters = parametersText(metadata.methodParameters);
  checkText('method parameters', parameters, MAX_PARAMETERS_CHARS);
  if (fileName.length > MAX_FILE_NAME_CHARS) {
    throw new ArmatureError(
      'call.bad_argument',
      `The file name has ${fileName.length} characters; at most ${MAX_FILE_NAME_CHARS} are kept.`,
    );
  }
  if (datasetIds.length > MAX_DATASETS) {
    throw new ArmatureError(
      'call.bad_argument',
      `The upload names ${datasetIds.length} datasets; at most ${MAX_DATASETS} are allowed.`,
    );
  }
  return {
    partId,
    type: types[metadata.type] ?? 'unspecified',
    componentType: checkText('component type', canonicalApi(componentType) ?? componentType, MAX_NAME_CHARS),
    componentName: checkText('component name', metadata.componentName, MAX_NAME_CHARS),
    methodName: checkText('method name', metadata.methodName, MAX_NAME_CHARS),
    parameters,
    tags: checkTags(metadata.tags),
    datasetIds: [...new Set(datasetIds)],
    fileName,
    fileExt: checkText('file extension', fileExt, MAX_NAME_CHARS),
    mimeType: checkText('mime type', mimeTypeOf(metadata.mimeType, sensor, fileExt), MAX_NAME_CHARS),
    createdAt: metadata.fileCreateTime,
    modifiedAt: metadata.fileModifyTime,
  };
}

/**
 * When something was captured. Public SDKs omit times that their callers do not give: a missing time is replaced by the
 * other one, and if both are missing, by the time of the hub.
 * @throws {ArmatureError} `call.bad_argument` for invalid times, and for times before 1970
 */
export function captureTimesOf(sensor: SensorMetadata | undefined, nowMs: number, file?: UploadInfo): CaptureTimes {
  const requested = timeOf('time_requested', sensor?.timeRequested);
  const received = timeOf('time_received', sensor?.timeReceived);
  const created = timeOf('file_create_time', file?.createdAt);
  const modified = timeOf('file_modify_time', file?.modifiedAt);
  const receivedAt = received ?? requested ?? modified ?? created ?? nowMs;
  return { requestedAt: requested ?? received ?? created ?? receivedAt, receivedAt };
}

function timeOf(what: string, time: Date | undefined): number | undefined {
  if (time === undefined) return undefined;
  const ms = time.getTime();
  if (ms >= 0 && ms <= MAX_TIME_MS) return ms;
  const found = Number.isNaN(ms) ? 'no time' : time.toISOString();
  throw new ArmatureError(
    'call.bad_argument',
    `The ${what} is ${found}; allowed are the years 1970 to 9999. Set the clock of the machine, or leave the time out.`,
  );
}

function mimeTypeOf(said: string, sensor: SensorMetadata | undefined, fileExt: string): string {
  if (said !== '') return said;
  return mimeTypes[sensor?.mimeType ?? MimeType.UNSPECIFIED] ?? mimeTypesOfExtensions[fileExt.toLowerCase()] ?? '';
}
