import { captureMethodsOf, type CaptureMethod } from '../../../proto/config/capture/capture-methods.ts';
import type { CaptureMethodConfig } from '../../../proto/config/capture/capture-schema.ts';
import { encodeMessage } from '../../../proto/message.ts';
import {
  DataType,
  MimeType,
  SensorData,
  type UploadMetadata,
} from '../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import type { Annotations } from '../../../proto/gen/core/app/data/v1/data.ts';
import type { GetImagesResponse, Image } from '../../../proto/gen/core/component/camera/v1/camera.ts';
import { Value } from '../../../proto/gen/google/protobuf/struct.ts';
import { findApi } from '../../apis/all.ts';
import { protoName } from '../../apis/fields.ts';
import type { JsonObject, JsonValue } from '../../apis/resource.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { StatusCode } from '../../base/status.ts';
import { callLocally, LocalCallError, localConnection } from '../../rpc/routing/local-call.ts';
import { methodPath } from '../../rpc/peer/outbound-call.ts';
import type { Router } from '../../rpc/router.ts';
import type { CaptureStream } from './journal/capture-file.ts';

/** A module answers this if there is nothing to store this time; the text is part of the public interface. */
const NOTHING_TO_KEEP = 'no capture from filter module';
/** Time limit for the answer of a resource. */
const ANSWER_MS = 10_000;
/** Marks requests of data capture: a filter in a module answers these differently. */
const EXTRA: JsonObject = { fromDataManagement: true };

/** What one method captures from one resource. */
export interface CaptureSource {
  /** Triplet in our spelling. */
  readonly api: string;
  /** Short name of the resource. */
  readonly name: string;
  readonly config: CaptureMethodConfig;
  readonly tags: readonly string[];
}

/** Reads one source through the router, so that the resource may be in any process. */
export interface SourceReader {
  readonly stream: CaptureStream;
  /** An encoded `SensorData` for each reading or picture; none if there is nothing to store. */
  readonly read: () => Promise<readonly Uint8Array[]>;
}

const connection = localConnection('data capture');

/**
 * @param router where calls of this machine go; undefined while nothing is served yet
 * @throws {ArmatureError} `config.invalid` for a method that the API does not have
 */
export function sourceReader(source: CaptureSource, router: () => Router | undefined, clock: Clock): SourceReader {
  const { api, config } = source;
  const method = captureMethodsOf(api).find((one) => one.name === config.method);
  const service = findApi(api)?.service;
  const rpc = method && service?.methods[method.rpc];
  if (method === undefined || service === undefined || rpc === undefined) {
    const known = captureMethodsOf(api).map((one) => one.name);
    const message = `${api} has no capture method "${config.method}"; it has ${known.join(', ') || 'none'}.`;
    throw new ArmatureError('config.invalid', message, { details: { api, method: config.method } });
  }
  const path = methodPath(service, rpc);
  const request = encodeMessage(rpc.requestType, requestOf(source, method));
  const read = async (): Promise<readonly Uint8Array[]> => {
    const served = router();
    if (served === undefined) throw new ArmatureError('resource.not_ready', 'nothing is served yet');
    const timeRequested = new Date(clock.now());
    let answer: unknown;
    try {
      answer = rpc.responseType.decode(await callLocally(served, connection, path, request, ANSWER_MS));
    } catch (thrown) {
      if (isNothingToKeep(thrown)) return [];
      throw thrown;
    }
    const times = { timeRequested, timeReceived: new Date(clock.now()), mimeType: MimeType.UNSPECIFIED };
    if (method.type === 'tabular') {
      return [sensorData({ metadata: times, data: { $case: 'struct', value: payloadOf(method.name, answer) } })];
    }
    return imagesOf(method.name, answer as GetImagesResponse).map(({ image, annotations }) =>
      sensorData({ metadata: { ...times, annotations }, data: { $case: 'binary', value: image } }),
    );
  };
  return { stream: { metadata: metadataOf(source, method) }, read };
}

function requestOf({ name, config }: CaptureSource, { parameters, rpc }: CaptureMethod): object {
  const given = config.additional_params ?? {};
  const fields = Object.fromEntries(parameters.map((parameter) => [parameter.field, given[parameter.name] ?? '']));
  const nameKey = rpc === 'readAnalogReader' || rpc === 'getDigitalInterruptValue' ? 'boardName' : 'name';
  return { [nameKey]: name, filterSourceNames: [], extra: EXTRA, ...fields };
}

/** What all of its readings have in common. */
function metadataOf({ api, name, config, tags }: CaptureSource, method: CaptureMethod): UploadMetadata {
  const isBinary = method.type === 'binary';
  return {
    partId: '',
    componentType: api,
    componentName: name,
    methodName: method.name,
    type: isBinary ? DataType.BINARY_SENSOR : DataType.TABULAR_SENSOR,
    fileName: '',
    methodParameters: Object.fromEntries(
      Object.entries(config.additional_params ?? {}).map(([key, value]) => [
        key,
        { typeUrl: 'type.googleapis.com/google.protobuf.Value', value: Value.encode(Value.wrap(value)).finish() },
      ]),
    ),
    fileExtension: isBinary ? '' : '.dat',
    tags: [...tags],
    datasetIds: [],
    mimeType: '',
    fileCreateTime: undefined,
    fileModifyTime: undefined,
  };
}

/** A response as it is stored: fields named as in the .proto file, and readings unchanged. */
function payloadOf(method: string, answer: unknown): JsonObject {
  if (method === 'Readings') return { readings: inJson((answer as { readings: JsonObject }).readings) };
  if (method === 'DoCommand') return { docommand_output: inJson((answer as { result?: JsonObject }).result ?? {}) };
  return inJson(fieldsOf(answer));
}

function fieldsOf(answer: unknown): JsonObject {
  return Object.fromEntries(
    Object.entries(answer as Record<string, unknown>)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [protoName(key), typeof value === 'bigint' ? Number(value) : value]),
  ) as JsonObject;
}

/** A value that JSON can represent: NaN and infinities, as from a broken sensor, become null. */
function inJson<T extends JsonValue>(value: T): T {
  if (typeof value === 'number') return (Number.isFinite(value) ? value : null) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inJson) as T;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inJson(item)])) as T;
}

function imagesOf(method: string, { images }: GetImagesResponse): { image: Uint8Array; annotations: Annotations }[] {
  const wanted = method === 'ReadImage' ? images.slice(0, 1) : images;
  return wanted.map(({ image, annotations, sourceName }: Image) => ({
    image,
    annotations: {
      bboxes: annotations?.bboxes ?? [],
      // Distinguishes the camera's pictures if there are several.
      classifications: [
        ...(annotations?.classifications ?? []),
        ...(wanted.length > 1 ? [{ label: sourceName, id: '', confidence: undefined }] : []),
      ],
    },
  }));
}

function sensorData(data: SensorData): Uint8Array {
  return encodeMessage(SensorData, data);
}

function isNothingToKeep(thrown: unknown): boolean {
  if (!(thrown instanceof LocalCallError)) return false;
  const { code, message } = thrown.status;
  return code === StatusCode.FAILED_PRECONDITION && message.includes(NOTHING_TO_KEEP);
}
