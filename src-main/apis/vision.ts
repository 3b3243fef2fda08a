import { defineApi, type ResourceApi } from './api.ts';
import type { NamedImage } from './camera.ts';
import { asIs, callOptions, unimplemented, type Field } from './fields.ts';
import { methodsOf } from './method.ts';
import { RemoteResource } from './remote-resource.ts';
import type { CallOptions, JsonObject, Resource } from './resource.ts';
import type { Box, Classification, Detection } from '../inference/findings/finding.ts';
import {
  VisionServiceDefinition,
  type Classification as WireClassification,
  type Detection as WireDetection,
} from '../../proto/gen/core/service/vision/v1/vision.ts';

export interface VisionProperties {
  readonly findsClassifications: boolean;
  readonly findsDetections: boolean;
  readonly findsObjectPointClouds: boolean;
  /** The default camera for calls. */
  readonly defaultCamera?: string | undefined;
}

/** What {@link Vision.captureAllFromCamera} should give. */
export interface CaptureAllWanted {
  readonly image: boolean;
  readonly classifications: boolean;
  readonly detections: boolean;
}

/** All results for one picture. Results that were not requested, or that the model cannot find, are empty. */
export interface CapturedAll {
  readonly image?: NamedImage | undefined;
  readonly classifications: readonly Classification[];
  readonly detections: readonly Detection[];
  readonly extra: JsonObject;
}

/** Finds objects in pictures. */
export interface Vision extends Resource {
  /** @param cameraName empty is the default camera, here and below */
  detectionsFromCamera(cameraName: string, options?: CallOptions): Promise<readonly Detection[]>;
  /**
   * @param mimeType how the picture is encoded
   * @param width of a picture without its own size, in pixels; `height` likewise
   */
  detections(
    image: Uint8Array,
    mimeType: string,
    width: number,
    height: number,
    options?: CallOptions,
  ): Promise<readonly Detection[]>;
  /** @param count number of the most likely ones; 0 or less for all */
  classificationsFromCamera(
    cameraName: string,
    count: number,
    options?: CallOptions,
  ): Promise<readonly Classification[]>;
  classifications(
    image: Uint8Array,
    mimeType: string,
    count: number,
    width: number,
    height: number,
    options?: CallOptions,
  ): Promise<readonly Classification[]>;
  properties(options?: CallOptions): Promise<VisionProperties>;
  captureAllFromCamera(cameraName: string, wanted: CaptureAllWanted, options?: CallOptions): Promise<CapturedAll>;
}

const whole = (value: number | undefined): bigint | undefined =>
  value === undefined ? undefined : BigInt(Math.trunc(value));

const detections: Field<readonly Detection[], WireDetection[]> = {
  write: (value) =>
    value.map(({ label, confidence, pixels, shares }) => ({
      className: label,
      confidence,
      xMin: whole(pixels?.xMin),
      yMin: whole(pixels?.yMin),
      xMax: whole(pixels?.xMax),
      yMax: whole(pixels?.yMax),
      xMinNormalized: shares?.xMin,
      yMinNormalized: shares?.yMin,
      xMaxNormalized: shares?.xMax,
      yMaxNormalized: shares?.yMax,
    })),
  read: (wire) =>
    wire.map((found) => ({
      label: found.className,
      confidence: found.confidence,
      pixels: boxOf(found.xMin, found.yMin, found.xMax, found.yMax),
      shares: boxOf(found.xMinNormalized, found.yMinNormalized, found.xMaxNormalized, found.yMaxNormalized),
    })),
};

function boxOf(...sides: readonly (number | bigint | undefined)[]): Box | undefined {
  const [xMin, yMin, xMax, yMax] = sides.map((side) => (side === undefined ? undefined : Number(side)));
  if (xMin === undefined || yMin === undefined || xMax === undefined || yMax === undefined) return undefined;
  return { xMin, yMin, xMax, yMax };
}

const classifications: Field<readonly Classification[], WireClassification[]> = {
  write: (value) => value.map(({ label, confidence }) => ({ className: label, confidence })),
  read: (wire) => wire.map(({ className, confidence }) => ({ label: className, confidence })),
};

/** Sizes are 64 bits wide in one request and 32 in another. */
const size: Field<number, number | bigint> = { write: (value) => value, read: (wire) => Number(wire) };
const longSize: Field<number, bigint> = { write: (value) => BigInt(value), read: (wire) => Number(wire) };

const { read } = methodsOf(VisionServiceDefinition);
const taken = { endsWithCaller: true };

/** A vision service in another process. Capturing all results of a picture is a single call. */
class RemoteVision extends RemoteResource<typeof VisionServiceDefinition> {
  async captureAllFromCamera(
    cameraName: string,
    wanted: CaptureAllWanted,
    { extra, signal }: CallOptions = {},
  ): Promise<CapturedAll> {
    const answer = await this.call(
      'captureAllFromCamera',
      {
        name: this.name,
        cameraName,
        extra,
        returnImage: wanted.image,
        returnClassifications: wanted.classifications,
        returnDetections: wanted.detections,
        returnObjectPointClouds: false,
      },
      signal === undefined ? {} : { signal },
    );
    const { image } = answer;
    return {
      image: image && { sourceName: image.sourceName, mimeType: image.mimeType, bytes: image.image },
      classifications: classifications.read(answer.classifications, this, 'classifications'),
      detections: detections.read(answer.detections, this, 'detections'),
      extra: (answer.extra ?? {}) as JsonObject,
    };
  }
}

/** @internal */
export const visionApi: ResourceApi<Vision, typeof VisionServiceDefinition> = defineApi<
  Vision,
  typeof VisionServiceDefinition,
  'captureAllFromCamera'
>({
  api: 'core:service:vision',
  service: VisionServiceDefinition,
  methods: {
    detectionsFromCamera: read('getDetectionsFromCamera', ['detections', detections], { cameraName: asIs }, taken),
    detections: read(
      'getDetections',
      ['detections', detections],
      { image: asIs, mimeType: asIs, width: longSize, height: longSize },
      taken,
    ),
    classificationsFromCamera: read(
      'getClassificationsFromCamera',
      ['classifications', classifications],
      { cameraName: asIs, n: asIs },
      taken,
    ),
    classifications: read(
      'getClassifications',
      ['classifications', classifications],
      { image: asIs, mimeType: asIs, n: asIs, width: size, height: size },
      taken,
    ),
    properties: read('getProperties', {
      findsClassifications: 'classificationsSupported',
      findsDetections: 'detectionsSupported',
      findsObjectPointClouds: 'objectPointCloudsSupported',
      defaultCamera: 'defaultCamera',
    }),
  },
  beyond: {
    handlers: {
      async captureAllFromCamera(vision, request, call) {
        const wanted = {
          image: request.returnImage,
          classifications: request.returnClassifications,
          detections: request.returnDetections,
        };
        const { cameraName } = request;
        const all = await vision.captureAllFromCamera(cameraName, wanted, callOptions(request, call));
        const { image } = all;
        return {
          image: image && { sourceName: image.sourceName, mimeType: image.mimeType, image: image.bytes },
          detections: detections.write(all.detections, vision),
          classifications: classifications.write(all.classifications, vision),
          objects: [],
          extra: all.extra,
        };
      },
      getObjectPointClouds(vision) {
        return Promise.reject(unimplemented(vision, 'GetObjectPointClouds'));
      },
    },
    readings: ['captureAllFromCamera', 'getObjectPointClouds'],
    client: (endpoint) => new RemoteVision(VisionServiceDefinition, endpoint),
  },
});
