import { DEFAULT_PACKAGE_TYPE, replacePlaceholders } from '../../../proto/config/placeholders.ts';
import { parseFullName } from '../../../proto/config/names.ts';
import type { Model, ModelVersion } from '../../../proto/gen/core/hub/v1/models.ts';
import { firstFree, MAX_NAME_LENGTH } from '../names.ts';
import type { DraftEdit, DraftPath, DraftResource } from '../stores/draft-text.ts';

/** A version of a model, with what is needed to deploy it. */
export interface ModelToDeploy {
  /** `organization id/name`, the value of `package` in a configuration. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** `onnx`, `tflite`, or whatever was given at the upload. */
  readonly framework: string;
  /** Files of its package; '' if it has none or that is not known. */
  readonly modelFile: string;
  readonly labelsFile: string;
}

/** A version of the registry, as it is deployed. */
export function modelToDeploy(model: Model, version: ModelVersion): ModelToDeploy {
  const { id, name } = model;
  const { framework, modelFile, labelsFile } = version;
  return { id, name, version: version.version, framework, modelFile, labelsFile };
}

/** An entry of `packages`. */
export interface DraftPackage {
  readonly path: DraftPath;
  readonly name: string;
  /** `organization id/name`. */
  readonly packageId: string;
  readonly type: string;
  /** As written: a version or an update channel. */
  readonly version: string;
}

/** The parts of a configuration that matter for models. */
export interface DraftParts {
  readonly packages: readonly DraftPackage[];
  readonly resources: readonly DraftResource[];
  /** Names that a new resource cannot have; modules included. */
  readonly taken: ReadonlySet<string>;
}

/** A package of a configuration with the resources that use it. */
export interface Deployment {
  readonly package: DraftPackage;
  /** Resources that refer to it by a placeholder. */
  readonly users: readonly DraftResource[];
  /** Vision services that use these resources. */
  readonly visions: readonly DraftResource[];
}

/** Names of the new entries. */
export interface DeployNames {
  readonly package: string;
  /** Of the service that runs the model. */
  readonly runner: string;
  readonly vision: string;
}

const MLMODEL_API = 'core:service:mlmodel';
const VISION_API = 'core:service:vision';
const CAMERA_API = 'core:component:camera';
/** The built-in model that runs models of a framework. */
const RUNNERS: Readonly<Record<string, string>> = { onnx: 'onnx_cpu' };
const MAX_PACKAGE_NAME_LENGTH = 100;
/** An index past the end of every list: an entry that is set there is appended. */
const LAST = Number.MAX_SAFE_INTEGER;

/** The built-in model that runs models of a framework; undefined if there is none. */
export function runnerOf(framework: string): string | undefined {
  return Object.hasOwn(RUNNERS, framework) ? RUNNERS[framework] : undefined;
}

/** The entries of `packages` that are objects. */
export function packagesIn(root: Readonly<Record<string, unknown>>): readonly DraftPackage[] {
  const { packages } = root;
  if (!Array.isArray(packages)) return [];
  return packages.flatMap((entry: unknown, index) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [];
    const text = (key: string): string => {
      const value = (entry as Readonly<Record<string, unknown>>)[key];
      return typeof value === 'string' ? value : '';
    };
    return [
      {
        path: ['packages', index],
        name: text('name'),
        packageId: text('package'),
        type: text('type'),
        version: text('version'),
      },
    ];
  });
}

/** The cameras of a configuration that are not disabled, in its order. */
export function camerasIn({ resources }: Pick<DraftParts, 'resources'>): readonly DraftResource[] {
  return resources.filter(({ api, name, isDisabled }) => api === CAMERA_API && name !== '' && !isDisabled);
}

/** The deployments of a model in a configuration, by the model's id. */
export function deploymentsOf(
  { packages, resources }: Pick<DraftParts, 'packages' | 'resources'>,
  id: string,
): readonly Deployment[] {
  return packages
    .filter(({ packageId, name }) => packageId === id && name !== '')
    .map((one) => {
      const users = resources.filter(({ attributes }) => namesPackage(attributes, one));
      const names = new Set(users.flatMap(({ name, fullName }) => [name, fullName]));
      const visions = resources.filter(({ api, attributes }) => {
        const written = attributes['mlmodel_name'];
        if (api !== VISION_API || typeof written !== 'string') return false;
        const full = parseFullName(written);
        return names.has(full === undefined ? written : `${full.api}/${full.name}`);
      });
      return { package: one, users, visions };
    });
}

/** Free names that start with the name of the model. */
export function freeNames({ packages, taken }: DraftParts, model: string): DeployNames {
  const named = firstFree(model, new Set(packages.map(({ name }) => name)), MAX_PACKAGE_NAME_LENGTH);
  const service = (end: string): string => {
    // Leaves room for the suffix and a number after it.
    const stem = named.slice(0, MAX_NAME_LENGTH.resource - end.length - 4);
    return firstFree(`${stem}${end}`, taken, MAX_NAME_LENGTH.resource);
  };
  return { package: named, runner: service('-model'), vision: service('-vision') };
}

/** The choices for the new entries. */
export interface NewDeployment {
  readonly model: ModelToDeploy;
  /** Version or update channel of the entry in `packages`. */
  readonly version: string;
  readonly names: DeployNames;
  /** Name of the default camera of the vision service; '' for none. */
  readonly camera: string;
}

/** The entries of a model that is not on the machine yet; only the package if no built-in model runs it. */
export function newEntries({ model, version, names, camera }: NewDeployment): readonly DraftEdit[] {
  const packaged = { name: names.package, package: model.id, type: DEFAULT_PACKAGE_TYPE, version };
  const entries: DraftEdit[] = [{ path: ['packages', LAST], value: packaged }];
  const runner = runnerOf(model.framework);
  if (runner === undefined) return entries;
  const attributes = {
    package_reference: names.package,
    model_path: pathIn(names.package, model.modelFile),
    ...(model.labelsFile === '' ? {} : { label_path: pathIn(names.package, model.labelsFile) }),
  };
  const seeing = { mlmodel_name: names.runner, ...(camera === '' ? {} : { camera_name: camera }) };
  return [
    ...entries,
    { path: ['services', LAST], value: { name: names.runner, api: MLMODEL_API, model: runner, attributes } },
    { path: ['services', LAST], value: { name: names.vision, api: VISION_API, model: 'mlmodel', attributes: seeing } },
  ];
}

/**
 * The edits that change a deployment to another version: the version itself, and the paths of files that have other
 * names in that version. Other paths, which somebody wrote by hand, stay.
 */
export function versionChange(
  { package: entry, users, visions }: Deployment,
  model: ModelToDeploy,
  version: string,
): readonly DraftEdit[] {
  const edits: DraftEdit[] = entry.version === version ? [] : [{ path: [...entry.path, 'version'], value: version }];
  const hasOwnLabels = visions.some(({ attributes }) => attributes['label_path'] !== undefined);
  for (const { api, path, attributes } of users) {
    if (api !== MLMODEL_API) continue;
    const set = (key: string, value: string | undefined): void =>
      void edits.push({ path: [...path, 'attributes', key], value });
    const file = fileIn(entry, attributes['model_path']);
    if (file === undefined || model.modelFile === '') continue;
    if (file !== model.modelFile) set('model_path', pathIn(entry.name, model.modelFile));
    const written = attributes['label_path'];
    const labels = fileIn(entry, written);
    if (written === undefined) {
      if (model.labelsFile !== '' && !hasOwnLabels) set('label_path', pathIn(entry.name, model.labelsFile));
    } else if (labels !== undefined && labels !== model.labelsFile) {
      set('label_path', model.labelsFile === '' ? undefined : pathIn(entry.name, model.labelsFile));
    }
  }
  return edits;
}

function pathIn(packageName: string, file: string): string {
  return `\${packages.${DEFAULT_PACKAGE_TYPE}.${packageName}}/${file}`;
}

/** The file within the package that a path names; undefined for any other path. */
function fileIn(entry: DraftPackage, path: unknown): string | undefined {
  if (typeof path !== 'string' || !path.startsWith('${')) return undefined;
  const end = path.indexOf('}') + 1;
  if (!isOf(entry, path.slice(0, end)) || path[end] !== '/') return undefined;
  return path.slice(end + 1);
}

/** Whether a value contains a placeholder of the package anywhere. */
function namesPackage(value: unknown, entry: DraftPackage): boolean {
  if (typeof value === 'string') return isOf(entry, value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((part) => namesPackage(part, entry));
}

function isOf({ name }: DraftPackage, text: string): boolean {
  let isFound = false;
  replacePlaceholders(text, (found) => {
    isFound ||= found.kind === 'package' && found.type === DEFAULT_PACKAGE_TYPE && found.name === name;
    return undefined;
  });
  return isFound;
}
