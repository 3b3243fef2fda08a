import { defineApi, type ResourceApi } from './api.ts';
import { asIs, badArgument, callOptions, type Field } from './fields.ts';
import { methodsOf } from './method.ts';
import { RemoteResource } from './remote-resource.ts';
import type { CallOptions, Resource } from './resource.ts';
import { ArmatureError } from '../base/errors.ts';
import { CameraServiceDefinition, type Image } from '../../proto/gen/core/component/camera/v1/camera.ts';
import type { ResponseMetadata } from '../../proto/gen/core/common/v1/common.ts';

/** One encoded picture. */
export interface NamedImage {
  /** Which of the camera's sources made it: `color`, `depth`. */
  readonly sourceName: string;
  /** How the bytes are encoded: `image/jpeg`, `image/png`, or another one of camera.proto. */
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

/** Pictures that a camera took at one time. */
export interface CameraImages {
  readonly images: readonly NamedImage[];
  /** When they were taken, by the camera's clock; undefined if the camera does not say. */
  readonly capturedAt?: Date | undefined;
}

/** The pinhole model of a lens, all in pixels. */
export interface CameraIntrinsics {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly focalXPx: number;
  readonly focalYPx: number;
  readonly centerXPx: number;
  readonly centerYPx: number;
}

export interface CameraDistortion {
  /** Meaning of the parameters: `brown_conrady`, `kannala_brandt`. */
  readonly model: string;
  readonly parameters: readonly number[];
}

export interface CameraProperties {
  /** Whether it has {@link Camera.pointCloud}. */
  readonly isPointCloudSupported: boolean;
  /** Possible encodings of its pictures. */
  readonly mimeTypes: readonly string[];
  /** Pictures per second; undefined if there is no such number. */
  readonly frameRate?: number | undefined;
  readonly intrinsics?: CameraIntrinsics | undefined;
  readonly distortion?: CameraDistortion | undefined;
}

/** The camera's view as points in space. */
export interface PointCloud {
  /** `pointcloud/pcd`. */
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

/** A camera of one or more sources: colour, depth, infrared. */
export interface Camera extends Resource {
  /**
   * One picture of each source, taken together.
   * @param sourceNames the sources that are wanted; none means all. Throws `call.bad_argument` for one that the camera
   *   does not have: see {@link requireSources}.
   */
  images(sourceNames: readonly string[], options?: CallOptions): Promise<CameraImages>;
  properties(options?: CallOptions): Promise<CameraProperties>;
  /** @param mimeType the wanted format; empty for the camera's own */
  pointCloud?(mimeType: string, options?: CallOptions): Promise<PointCloud>;
}

/** Throws `call.bad_argument`, with the existing sources, if a wanted source does not exist. */
export function requireSources(camera: Resource, wanted: readonly string[], available: readonly string[]): void {
  const unknown = wanted.filter((name) => !available.includes(name));
  if (unknown.length === 0) return;
  throw badArgument(camera, 'filter_source_names', unknown.join(', '), available.join(', '));
}

const { read } = methodsOf(CameraServiceDefinition);
const taken = { endsWithCaller: true };

const images: Field<readonly NamedImage[], readonly Image[]> = {
  write: (value) => value.map(({ bytes, ...image }) => ({ ...image, image: bytes })),
  read: (wire) => wire.map(({ sourceName, mimeType, image }) => ({ sourceName, mimeType, bytes: image })),
};
const metadata: Field<Date | undefined, ResponseMetadata | undefined> = {
  write: (capturedAt) => ({ capturedAt }),
  read: (wire) => wire?.capturedAt,
};

/** @internal */
export const cameraApi: ResourceApi<Camera, typeof CameraServiceDefinition> = defineApi({
  api: 'core:component:camera',
  service: CameraServiceDefinition,
  methods: {
    images: read(
      'getImages',
      { images: ['images', images], capturedAt: ['responseMetadata', metadata] },
      { filterSourceNames: asIs },
      taken,
    ),
    properties: read('getProperties', {
      isPointCloudSupported: 'supportsPcd',
      mimeTypes: 'mimeTypes',
      frameRate: 'frameRate',
      intrinsics: 'intrinsicParameters',
      distortion: 'distortionParameters',
    }),
    pointCloud: read('getPointCloud', { mimeType: 'mimeType', bytes: 'pointCloud' }, { mimeType: asIs }, taken),
  },
  beyond: {
    handlers: {
      /** Pictures are sent as the camera encodes them; nothing here decodes them. */
      async getImage(camera, request, call) {
        const { mimeType } = request;
        const { images: found } = await camera.images([], callOptions(request, call));
        const image = found.find((one) => mimeType === '' || one.mimeType === mimeType);
        if (image !== undefined) return { mimeType: image.mimeType, image: image.bytes };
        if (found.length === 0) throw new ArmatureError('hardware.failed', `Camera "${camera.name}" gave no picture.`);
        const allowed = [...new Set(found.map((one) => one.mimeType))].join(' or ');
        throw badArgument(camera, 'mime_type', mimeType, `${allowed}, since pictures are not converted`);
      },
    },
    readings: ['getImage'],
    client: (endpoint) => new RemoteResource(CameraServiceDefinition, endpoint),
  },
});
