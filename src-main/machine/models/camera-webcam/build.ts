import { Capture } from './capture.ts';
import { DeviceOpener } from './open-device.ts';
import { DEFAULT_FRAME_RATE, type WebcamAttributes } from './schema.ts';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import { lensOf } from '../lens.ts';
import { requireProcesses } from '../ffmpeg/require-processes.ts';
import { requireSources, type Camera, type CameraImages, type CameraProperties } from '../../../apis/camera.ts';
import type { CallOptions, JsonObject } from '../../../apis/resource.ts';

/**
 * Camera model `webcam`: pictures from a Video4Linux device. It is built even if the device is missing: requests then
 * fail with the reason, and succeed when the device is back.
 */
class Webcam implements Camera, BuiltResource {
  readonly name: string;
  readonly #attributes: WebcamAttributes;
  readonly #capture: Capture;

  constructor({ name, clock, logger }: BuildContext<JsonObject>, attributes: WebcamAttributes) {
    const label = `Camera "${name}"`;
    const device = new DeviceOpener(label, attributes);
    this.name = name;
    this.#attributes = attributes;
    this.#capture = new Capture({
      label,
      periodMs: 1_000 / (attributes.frame_rate || DEFAULT_FRAME_RATE),
      open: (signal) => device.open(signal),
      explain: (lastWords) => device.explain(lastWords),
      clock,
      logger,
    });
  }

  /** One picture; its source has the name of the camera. */
  async images(sourceNames: readonly string[], { signal }: CallOptions = {}): Promise<CameraImages> {
    requireSources(this, sourceNames, [this.name]);
    const { bytes, at } = await this.#capture.frame(signal);
    return { images: [{ sourceName: this.name, mimeType: 'image/jpeg', bytes }], capturedAt: at };
  }

  properties(): Promise<CameraProperties> {
    const { frame_rate: frameRate } = this.#attributes;
    return Promise.resolve({
      isPointCloudSupported: false,
      mimeTypes: ['image/jpeg'],
      ...(frameRate ? { frameRate } : {}),
      ...lensOf(this.#attributes),
    });
  }

  close(): Promise<void> {
    return this.#capture.close();
  }
}

export async function build(context: BuildContext<JsonObject>): Promise<BuiltResource> {
  requireProcesses(context, 'a webcam is read by ffmpeg');
  return new Webcam(context, context.attributes);
}
