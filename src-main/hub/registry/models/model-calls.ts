import type {
  Model,
  ModelServiceDefinition,
  UploadModelRequest,
  ModelUpload,
} from '../../../../proto/gen/core/hub/v1/models.ts';
import { onAbort } from '../../../base/async/abort.ts';
import { AsyncQueue } from '../../../base/async/async-queue.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { Caller } from '../../access/caller.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import type { Organizations } from '../../fleet/organizations.ts';
import { organizationPlace } from '../../places/place.ts';
import type { Store } from '../../storage/store.ts';
import { modelMeta, packModel } from './pack-model.ts';
import { nameOfAuthor } from './package-calls.ts';
import { packageIdOf, readPackageId, type Packages, type StoredPackage } from './packages.ts';

export interface ModelCallsOptions {
  readonly packages: Packages;
  readonly store: Store;
  readonly organizations: Organizations;
  readonly clock: Clock;
}

/** Changes queued for one watcher. A slower watcher gets an error, and reads everything again after it reconnects. */
const MAX_WAITING_CHANGES = 1_000;

/** `core.hub.v1.ModelService`: models for the window and for `armature model`. */
export function modelCalls(options: ModelCallsOptions): HubHandlers<typeof ModelServiceDefinition> {
  const { packages, store, organizations, clock } = options;
  return {
    async list({ organizationId }, caller) {
      if (organizationId !== '') {
        await caller.require('package.read', { type: 'organization', id: organizationId }, store.db);
      }
      const all = await store.db.selectFrom('organizations').select(['id', 'name']).orderBy('name').execute();
      const seen = all.filter(
        ({ id }) =>
          (organizationId === '' || id === organizationId) && caller.may('package.read', organizationPlace(id)),
      );
      const found = await packages.list(
        seen.map(({ id }) => id),
        { type: 'ml_model' },
      );
      const names = new Map(seen.map(({ id, name }) => [id, name]));
      const mayWrite = ({ id }: { readonly id: string }): boolean => caller.may('package.write', organizationPlace(id));
      return {
        models: modelsOf(found, names, (id) => mayWrite({ id })),
        owners: seen.filter(mayWrite).map(({ id, name }) => ({ organizationId: id, name })),
      };
    },

    async upload(requests, caller, call) {
      const messages = requests[Symbol.asyncIterator]();
      const model = modelIn((await messages.next()) as IteratorResult<UploadModelRequest, undefined>);
      const { organizationId, name, version } = model;
      await caller.require('package.write', { type: 'organization', id: organizationId }, store.db);
      await organizations.get(organizationId);
      const meta = modelMeta(model, clock.now());
      const { model_file, labels_file, ...rest } = meta;
      const added = await packages.add({
        organizationId,
        type: 'ml_model',
        name,
        version,
        metadata: { ...rest, model_file, labels_file },
        author: await nameOfAuthor(caller, store),
        chunks: packModel(meta, Number(model.bytes), bytesOf({ [Symbol.asyncIterator]: () => messages })),
        onIdle: (reason) => call.cancel(reason),
      });
      return { id: packageIdOf(added), version };
    },

    async *watchChanges(_request, caller, call) {
      const ids = new AsyncQueue<string>();
      const unsubscribe = packages.onChange((id) => {
        if (!maySee(caller, id)) return;
        if (ids.size < MAX_WAITING_CHANGES) ids.push(id);
        else
          ids.fail(
            new ArmatureError('call.overloaded', 'Changes come faster than they are read: read everything again.'),
          );
      });
      const cleanups = [unsubscribe, onAbort(call.signal, () => ids.end())];
      try {
        for await (const id of ids) yield { id };
      } finally {
        for (const cleanup of cleanups) cleanup();
      }
    },
  };
}

function maySee(caller: Caller, packageId: string): boolean {
  return caller.may('package.read', organizationPlace(readPackageId(packageId).organizationId));
}

/** Groups versions by model. @param newestFirst versions of all models */
function modelsOf(
  newestFirst: readonly StoredPackage[],
  names: ReadonlyMap<string, string>,
  mayWrite: (organizationId: string) => boolean,
): Model[] {
  const models = new Map<string, Model>();
  for (const one of newestFirst) {
    const { organizationId, name } = one;
    const id = packageIdOf(one);
    const model = models.get(id) ?? {
      id,
      organizationId,
      organizationName: names.get(organizationId) ?? '',
      name,
      versions: [],
      mayChange: mayWrite(organizationId),
    };
    models.set(id, model);
    model.versions.push({
      version: one.version,
      bytes: BigInt(one.bytes),
      sha256: one.sha256,
      uploadedAt: new Date(one.uploadedAt),
      uploadedBy: one.uploadedBy,
      modelType: textIn(one.metadata, 'model_type') || 'unknown',
      framework: textIn(one.metadata, 'model_framework') || 'onnx',
      labels: labelsIn(one.metadata),
      modelFile: textIn(one.metadata, 'model_file'),
      labelsFile: textIn(one.metadata, 'labels_file'),
    });
  }
  return [...models.values()].sort((a, b) => a.name.localeCompare(b.name, 'en') || a.id.localeCompare(b.id, 'en'));
}

function textIn(metadata: StoredPackage['metadata'], key: string): string {
  const value = metadata[key];
  return typeof value === 'string' ? value : '';
}

/** Metadata comes from uploaders, so `labels` may be anything. */
function labelsIn({ labels }: StoredPackage['metadata']): string[] {
  return Array.isArray(labels) ? labels.filter((label) => typeof label === 'string') : [];
}

function modelIn({ value }: IteratorResult<UploadModelRequest, undefined>): ModelUpload {
  const part = value?.part;
  if (part?.$case === 'model') return part.value;
  throw new ArmatureError('call.bad_argument', 'The upload begins without "model": send that first, then "bytes".');
}

async function* bytesOf(requests: AsyncIterable<UploadModelRequest>): AsyncGenerator<Uint8Array> {
  for await (const { part } of requests) {
    if (part?.$case !== 'bytes') {
      throw new ArmatureError('call.bad_argument', 'The upload has something other than "bytes" after "model".');
    }
    yield part.value;
  }
}
