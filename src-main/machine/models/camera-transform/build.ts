import type { TransformAttributes } from './attributes.ts';
import { Frame } from './frame.ts';
import { stepRun, type StepRun } from './steps.ts';
import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import { lensOf } from '../lens.ts';
import { requireSources, type Camera, type CameraImages, type CameraProperties } from '../../../apis/camera.ts';
import type { CallOptions } from '../../../apis/resource.ts';
import type { Vision } from '../../../apis/vision.ts';
import { ArmatureError } from '../../../base/errors.ts';

const readable = ['image/jpeg', 'image/png'];

interface NamedStep {
  /** `step 2, detections`. */
  readonly title: string;
  readonly run: StepRun;
}

/**
 * Camera model `transform`: pictures of another camera, processed in steps. A picture that no step changes is passed on
 * unchanged. Otherwise it is decoded once and encoded once, plus once for each vision service that gets it on the way.
 */
class TransformCamera implements Camera, BuiltResource {
  readonly name: string;
  readonly #attributes: TransformAttributes;
  readonly #source: Camera;
  readonly #steps: readonly NamedStep[];

  constructor(context: BuildContext<TransformAttributes>) {
    const { attributes } = context;
    this.name = context.name;
    this.#attributes = attributes;
    this.#source = context.dependency<Camera>('core:component:camera', attributes.source);
    const vision = (name: string): Vision => context.dependency<Vision>('core:service:vision', name);
    this.#steps = attributes.pipeline.map((step, index) => ({
      title: `step ${index + 1}, ${step.type}`,
      run: stepRun(step, vision),
    }));
  }

  /** One picture, of its camera's first source that is a JPEG or PNG. Its own source has the name of this camera. */
  async images(sourceNames: readonly string[], options: CallOptions = {}): Promise<CameraImages> {
    requireSources(this, sourceNames, [this.name]);
    const { images, capturedAt } = await this.#source.images([], options);
    const image = images.find(({ mimeType }) => readable.includes(mimeType));
    if (image === undefined) {
      const found = images.map(({ mimeType }) => mimeType).join(', ') || 'no picture';
      throw this.#error(`its source "${this.#source.name}" gives ${found}; it takes JPEG or PNG`);
    }
    const { bytes, mimeType } = image;
    let frame = Frame.encoded({ bytes, mimeType });
    for (const { title, run } of this.#steps) {
      options.signal?.throwIfAborted();
      frame = await run(frame, options.signal).catch((thrown: unknown) => {
        throw this.#error(`${title}: ${thrown instanceof Error ? thrown.message : String(thrown)}`, thrown);
      });
    }
    return { images: [{ sourceName: this.name, ...(await frame.encoded()) }], capturedAt };
  }

  async properties(options?: CallOptions): Promise<CameraProperties> {
    const { frameRate } = await this.#source.properties(options);
    return { isPointCloudSupported: false, mimeTypes: readable, frameRate, ...lensOf(this.#attributes) };
  }

  async close(): Promise<void> {
    // It holds nothing.
  }

  /** @param reason with or without a full stop */
  #error(reason: string, cause?: unknown): ArmatureError {
    const code = cause instanceof ArmatureError ? cause.code : 'call.failed_precondition';
    const message = `Camera "${this.name}": ${reason.replace(/\.$/, '')}.`;
    return new ArmatureError(code, message, cause === undefined ? {} : { cause });
  }
}

export async function build(context: BuildContext<TransformAttributes>): Promise<BuiltResource> {
  return new TransformCamera(context);
}
