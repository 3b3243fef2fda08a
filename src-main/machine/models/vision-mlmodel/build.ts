import { DEFAULT_MEAN, DEFAULT_STD_DEV, type MlModelVisionAttributes } from './schema.ts';
import { findsThings } from '../camera-transform/attributes.ts';
import type { BuildContext, BuiltResource, OtherResources } from '../../catalog/model.ts';
import type { Camera, NamedImage } from '../../../apis/camera.ts';
import type { MlModel } from '../../../apis/mlmodel.ts';
import type { CallOptions, JsonObject } from '../../../apis/resource.ts';
import type { CaptureAllWanted, CapturedAll, Vision, VisionProperties } from '../../../apis/vision.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import { classificationsOf, mostLikely } from '../../../inference/findings/classify.ts';
import { DEFAULT_BOX_ORDER, type BoxOrder, type Size } from '../../../inference/findings/detect.ts';
import { filterOf, type Filter } from '../../../inference/findings/filter.ts';
import type { Classification, Detection } from '../../../inference/findings/finding.ts';
import { labelsOfModel, readLabels } from '../../../inference/findings/labels.ts';
import { findOutputs, listed, type Outputs } from '../../../inference/findings/outputs.ts';
import { detectionsIn, outputsOfRun, valuesIn } from '../../../inference/findings/reading.ts';
import { inputSpec, invalid, type InputSpec } from '../../../inference/pictures/input-spec.ts';
import type { PixelRule } from '../../../inference/pictures/picture-protocol.ts';
import { Pictures } from '../../../inference/pictures/pictures.ts';
import type { ModelMetadata, Tensors } from '../../../inference/tensor.ts';

const CAMERA = 'core:component:camera';
const TRANSFORM = 'core:builtin:transform';

/** What a service knows about its model. */
interface KnownModel {
  readonly model: MlModel;
  readonly metadata: ModelMetadata;
  readonly spec: InputSpec;
  /** As far as names and shapes show; some outputs can only be distinguished by their values. */
  readonly outputs: Outputs;
  readonly labels: readonly string[];
  readonly order: BoxOrder;
}

/** A picture that was processed by the model. */
interface Seen {
  readonly tensors: Tensors;
  readonly picture: Size;
  readonly input: Size;
  /** Milliseconds. */
  readonly prepareMs: number;
  readonly inferMs: number;
}

/** Vision model `mlmodel`: uses the model of another service as a detector, a classifier, or both. */
class MlModelVision implements Vision, BuiltResource {
  readonly name: string;
  readonly #attributes: MlModelVisionAttributes;
  readonly #known: KnownModel;
  readonly #others: OtherResources;
  readonly #clock: Clock;
  readonly #filter: Filter;
  readonly #rule: PixelRule;
  readonly #pictures = new Pictures();
  #last: JsonObject = {};

  constructor({ name, attributes, others, clock }: BuildContext<JsonObject>, known: KnownModel) {
    this.name = name;
    this.#attributes = attributes as unknown as MlModelVisionAttributes;
    this.#known = known;
    this.#others = others;
    this.#clock = clock;
    this.#filter = filterOf(this.#attributes);
    this.#rule = {
      isBgr: this.#attributes.input_image_bgr ?? false,
      mean: this.#attributes.input_image_mean_value ?? [DEFAULT_MEAN, DEFAULT_MEAN, DEFAULT_MEAN],
      deviation: this.#attributes.input_image_std_dev ?? [DEFAULT_STD_DEV, DEFAULT_STD_DEV, DEFAULT_STD_DEV],
    };
  }

  async detectionsFromCamera(cameraName: string, options: CallOptions = {}): Promise<readonly Detection[]> {
    this.#requireDetector();
    const { bytes, mimeType } = await this.#pictureOf(cameraName, options);
    return this.detections(bytes, mimeType, 0, 0, options);
  }

  async detections(
    bytes: Uint8Array,
    mimeType: string,
    _width: number,
    _height: number,
    options: CallOptions = {},
  ): Promise<readonly Detection[]> {
    this.#requireDetector();
    return this.#detectionsIn(await this.#see(bytes, mimeType, options));
  }

  async classificationsFromCamera(
    cameraName: string,
    count: number,
    options: CallOptions = {},
  ): Promise<readonly Classification[]> {
    this.#requireClassifier();
    const { bytes, mimeType } = await this.#pictureOf(cameraName, options);
    return this.classifications(bytes, mimeType, count, 0, 0, options);
  }

  async classifications(
    bytes: Uint8Array,
    mimeType: string,
    count: number,
    _width: number,
    _height: number,
    options: CallOptions = {},
  ): Promise<readonly Classification[]> {
    this.#requireClassifier();
    return mostLikely(this.#classificationsIn(await this.#see(bytes, mimeType, options)), count);
  }

  properties(): Promise<VisionProperties> {
    const { camera_name: camera = '' } = this.#attributes;
    return Promise.resolve({
      findsClassifications: this.#isClassifier,
      findsDetections: this.#isDetector,
      findsObjectPointClouds: false,
      defaultCamera: camera === '' ? undefined : camera,
    });
  }

  /** Everything from one picture, with one run of the model; `extra` has the duration of each step, in milliseconds. */
  async captureAllFromCamera(
    cameraName: string,
    wanted: CaptureAllWanted,
    options: CallOptions = {},
  ): Promise<CapturedAll> {
    const start = this.#clock.monotonic();
    const image = await this.#pictureOf(cameraName, options);
    const pictureMs = this.#clock.monotonic() - start;
    const isDetecting = wanted.detections && this.#isDetector;
    const isClassifying = wanted.classifications && this.#isClassifier;
    const seen = isDetecting || isClassifying ? await this.#see(image.bytes, image.mimeType, options) : undefined;
    return {
      image: wanted.image ? image : undefined,
      detections: seen !== undefined && isDetecting ? this.#detectionsIn(seen) : [],
      classifications: seen !== undefined && isClassifying ? this.#classificationsIn(seen) : [],
      extra: {
        picture_ms: rounded(pictureMs),
        ...(seen && { prepare_ms: rounded(seen.prepareMs), infer_ms: rounded(seen.inferMs) }),
      },
    };
  }

  status(): Promise<JsonObject> {
    const { spec, labels, metadata } = this.#known;
    return Promise.resolve({
      model: metadata.name,
      input: { name: spec.name, type: spec.type, width: spec.width ?? null, height: spec.height ?? null },
      labels: [...labels],
      last: this.#last,
    });
  }

  close(): Promise<void> {
    return this.#pictures.close();
  }

  get #isDetector(): boolean {
    return this.#known.outputs.detector !== undefined;
  }

  get #isClassifier(): boolean {
    return this.#known.outputs.classifier !== undefined;
  }

  #requireDetector(): void {
    if (!this.#isDetector) throw this.#unable('boxes', 'location, category and score');
  }

  #requireClassifier(): void {
    if (!this.#isClassifier) throw this.#unable('classifications', 'probability');
  }

  #unable(what: string, names: string): ArmatureError {
    const { outputs } = this.#known.metadata;
    const message = `"${this.name}" gives no ${what}: its model has no ${names} among its outputs, which are ${listed(outputs)}. Say which output is which by remap_output_names.`;
    return new ArmatureError('call.unimplemented', message);
  }

  async #pictureOf(cameraName: string, options: CallOptions): Promise<NamedImage> {
    const { camera_name: usual = '' } = this.#attributes;
    const name = cameraName === '' ? usual : cameraName;
    if (name === '') {
      const message = `"${this.name}" was asked without a camera, and has none in camera_name. Name one.`;
      throw new ArmatureError('call.bad_argument', message);
    }
    const { resource: camera, model, attributes } = this.#others.find<Camera>(CAMERA, name);
    if (model === TRANSFORM && findsThings(attributes)) {
      const message = `"${this.name}" takes no pictures of camera "${name}", in which things that were found are drawn. Name the camera behind it.`;
      throw new ArmatureError('call.bad_argument', message);
    }
    const { images } = await camera.images([], options);
    const [image] = images;
    if (image === undefined) throw new ArmatureError('hardware.failed', `Camera "${name}" gave no picture.`);
    return image;
  }

  async #see(bytes: Uint8Array, mimeType: string, options: CallOptions): Promise<Seen> {
    const { model, spec } = this.#known;
    try {
      const start = this.#clock.monotonic();
      const { tensor, size } = await this.#pictures.tensorOf({ bytes, mimeType, spec, rule: this.#rule });
      const prepared = this.#clock.monotonic();
      const tensors = await model.infer(new Map([[spec.name, tensor]]), options);
      const inferred = this.#clock.monotonic();
      const [prepareMs, inferMs] = [prepared - start, inferred - prepared];
      this.#last = { prepare_ms: rounded(prepareMs), infer_ms: rounded(inferMs) };
      const input = { width: spec.width ?? size.width, height: spec.height ?? size.height };
      return { tensors, picture: size, input, prepareMs, inferMs };
    } catch (thrown) {
      throw this.#named(thrown);
    }
  }

  #detectionsIn({ tensors, picture, input }: Seen): readonly Detection[] {
    const { order, labels } = this.#known;
    const { detector } = this.#outputsOf(tensors);
    const { score } = detector ?? {};
    if (detector === undefined || score === undefined) {
      throw this.#named(this.#unable('boxes', 'location, category and score'));
    }
    try {
      const options = { order, labels, picture, input, filter: this.#filter };
      return detectionsIn(tensors, { ...detector, score }, options);
    } catch (thrown) {
      throw this.#named(thrown);
    }
  }

  #classificationsIn({ tensors }: Seen): readonly Classification[] {
    const { classifier } = this.#outputsOf(tensors);
    if (classifier === undefined) throw this.#unable('classifications', 'probability');
    try {
      return classificationsOf(valuesIn(tensors, classifier).values, this.#known.labels, this.#filter);
    } catch (thrown) {
      throw this.#named(thrown);
    }
  }

  #outputsOf(tensors: Tensors): Outputs {
    return outputsOfRun(tensors, this.#known.outputs, this.#attributes.remap_output_names);
  }

  #named(thrown: unknown): ArmatureError {
    const { code, message, details } = toArmatureError(thrown);
    return new ArmatureError(code, `"${this.name}": ${message}`, { cause: thrown, details });
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** Any list of numbers is accepted: values that come over the wire are floats. */
function orderOf(metadata: ModelMetadata, attributes: MlModelVisionAttributes, location: string | undefined): BoxOrder {
  const { xmin_ymin_xmax_ymax_order: configured } = attributes;
  if (configured !== undefined) return configured;
  const given = metadata.outputs.find(({ name }) => name === location)?.extra['boxOrder'];
  const isOrder = Array.isArray(given) && [0, 1, 2, 3].every((side) => given.includes(side)) && given.length === 4;
  return isOrder ? given.map(Number) : DEFAULT_BOX_ORDER;
}

export async function build(context: BuildContext<JsonObject>): Promise<BuiltResource> {
  const attributes = context.attributes as unknown as MlModelVisionAttributes;
  const { mlmodel_name: modelName, label_path: labelPath = '' } = attributes;
  const model = context.dependency<MlModel>('core:service:mlmodel', modelName);
  const metadata = await model.metadata({ signal: context.signal });
  try {
    const spec = inputSpec(metadata, attributes);
    const outputs = findOutputs(metadata.outputs, attributes.remap_output_names);
    if (outputs.detector === undefined && outputs.classifier === undefined) {
      const example = '"remap_output_names": {"<its name>": "probability"}';
      throw invalid(
        `no output is location and score, or probability; the outputs are ${listed(metadata.outputs)}. Say which output is which, for example ${example}`,
      );
    }
    const labels = labelPath === '' ? await labelsOfModel(metadata, context.logger) : await readLabels(labelPath);
    const order = orderOf(metadata, attributes, outputs.detector?.location);
    return new MlModelVision(context, { model, metadata, spec, outputs, labels, order });
  } catch (thrown) {
    const { code, message, details } = toArmatureError(thrown);
    throw new ArmatureError(code, `Vision "${context.name}" with model "${modelName}": ${message}`, {
      cause: thrown,
      details,
    });
  }
}
