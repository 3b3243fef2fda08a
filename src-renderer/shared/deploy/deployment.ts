import { DEFAULT_PACKAGE_TYPE, replacePlaceholders } from '../../../proto/config/placeholders.ts';
import { parseFullName } from '../../../proto/config/names.ts';
import type { Model, ModelVersion } from '../../../proto/gen/core/hub/v1/models.ts';
import { firstFree, MAX_NAME_LENGTH } from '../names.ts';
import type { DraftEdit, DraftPath, DraftResource } from '../stores/draft-text.ts';

/** A version of a model, as far as it matters to whoever puts it on a machine. */
export interface ModelToDeploy {
  /** `organization id/name`: what "package" of a configuration names. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** `onnx`, `tflite`, or what its uploader said. */
  readonly framework: string;
  /** Files of its package; '' where it has none, or nobody knows. */
  readonly modelFile: string;
  readonly labelsFile: string;
}

/** A version as the registry has it. */
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
  /** As written: a version or a channel. */
  readonly version: string;
}

/** What of a configuration has to do with models. */
export interface DraftParts {
  readonly packages: readonly DraftPackage[];
  readonly resources: readonly DraftResource[];
  /** Names that no resource can take any more, those of modules too. */
  readonly taken: ReadonlySet<string>;
}

/** A package of a configuration with what it is for. */
export interface Deployment {
  readonly package: DraftPackage;
  /** Resources that name it by a placeholder. */
  readonly users: readonly DraftResource[];
  /** Vision services of those. */
  readonly visions: readonly DraftResource[];
}

/** What the new entries are called. */
export interface DeployNames {
  readonly package: string;
  /** Of the service that runs the model. */
  readonly runner: string;
  readonly vision: string;
}

const MLMODEL_API = 'core:service:mlmodel';
const VISION_API = 'core:service:vision';
const CAMERA_API = 'core:component:camera';
/** Which built-in model runs a model of a framework. */
const RUNNERS: Readonly<Record<string, string>> = { onnx: 'onnx_cpu' };
const LONGEST_PACKAGE_NAME = 100;
/** Beyond every list: what is set there is put last. */
const LAST = Number.MAX_SAFE_INTEGER;

/** The built-in model that runs models of a framework; undefined where none does. */
export function runnerOf(framework: string): string | undefined {
  return Object.hasOwn(RUNNERS, framework) ? RUNNERS[framework] : undefined;
}

/** The entries of `packages`, as far as they are objects. */
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

/** What a configuration has of a model, by its id. */
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

/** Names after the model that nothing has yet. */
export function freeNames({ packages, taken }: DraftParts, model: string): DeployNames {
  const named = firstFree(model, new Set(packages.map(({ name }) => name)), LONGEST_PACKAGE_NAME);
  const service = (end: string): string => {
    // Room for the end, and for a number behind it.
    const stem = named.slice(0, MAX_NAME_LENGTH.resource - end.length - 4);
    return firstFree(`${stem}${end}`, taken, MAX_NAME_LENGTH.resource);
  };
  return { package: named, runner: service('-model'), vision: service('-vision') };
}

/** What is chosen for new entries. */
export interface NewDeployment {
  readonly model: ModelToDeploy;
  /** Version or channel that the entry of `packages` asks for. */
  readonly version: string;
  readonly names: DeployNames;
  /** Name of the camera that is meant where none is named; '' for none. */
  readonly camera: string;
}

/** The entries of a model that is not on the machine yet: the package alone where nothing built-in runs the model. */
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
 * What has to change for a deployment to be of another version: the version itself, and which files of the package are
 * named, where the other version has others. What somebody wrote otherwise is left alone.
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

/** The file of a package that a path names; undefined for any other path. */
function fileIn(entry: DraftPackage, path: unknown): string | undefined {
  if (typeof path !== 'string' || !path.startsWith('${')) return undefined;
  const end = path.indexOf('}') + 1;
  if (!isOf(entry, path.slice(0, end)) || path[end] !== '/') return undefined;
  return path.slice(end + 1);
}

/** Whether a value has a placeholder of a package anywhere in it. */
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
