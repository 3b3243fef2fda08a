import {
  AppServiceDefinition,
  UpdateModuleRequest,
  UpdateOrganizationRequest,
  Visibility,
} from '../../proto/gen/core/app/v1/app.ts';
import { RegistryServiceDefinition } from '../../proto/gen/core/hub/v1/registry.ts';
import { makePackage } from '../../src-main/hub/registry/testing/make-package.ts';
import { GrpcClient, type Target } from './grpc-client.ts';
import { uploadModule } from './module-upload.ts';

/** A module to publish, such as `acme:motors`. */
export interface PublishedModule {
  readonly name: string;
  readonly description?: string;
  readonly readme?: string;
  /** API, name and description of each: `core:component:motor`, `acme:motors:dc`. */
  readonly models?: readonly { readonly api: string; readonly model: string; readonly description?: string }[];
  readonly visibility?: Visibility;
}

/** Publishes modules at the hub of a machine, as its owner. */
export class Publisher {
  readonly namespace = 'acme';
  readonly #client: GrpcClient;
  #organizationId = '';

  constructor(hub: Target) {
    this.#client = new GrpcClient(hub);
  }

  /** Gives the first organization its namespace. */
  async open(): Promise<void> {
    const { organizations } = await this.#client.call(AppServiceDefinition, 'listOrganizations', {});
    this.#organizationId = organizations[0]?.id ?? '';
    const named = { organizationId: this.#organizationId, publicNamespace: this.namespace };
    await this.#client.call(AppServiceDefinition, 'updateOrganization', UpdateOrganizationRequest.fromPartial(named));
  }

  async create({
    name,
    description = '',
    models = [],
    visibility = Visibility.PUBLIC,
  }: PublishedModule): Promise<void> {
    await this.#client.call(AppServiceDefinition, 'createModule', { organizationId: this.#organizationId, name });
    const moduleId = `${this.namespace}:${name}`;
    const update = UpdateModuleRequest.fromPartial({ moduleId, visibility, description, models: [...models] });
    await this.#client.call(AppServiceDefinition, 'updateModule', update);
  }

  /** Publishes one version for one platform. */
  async publish(module: PublishedModule, version: string, platform = 'linux/any'): Promise<void> {
    const moduleId = `${this.namespace}:${module.name}`;
    const { readme = '', models = [], description = '' } = module;
    const files = readme === '' ? [] : [{ name: './README.md', content: readme }];
    const bytes = makePackage(
      {
        module_id: moduleId,
        visibility: module.visibility === Visibility.PRIVATE ? 'private' : 'public',
        description,
        models: models.map(({ api, model, description: short = '' }) => ({ api, model, short_description: short })),
      },
      files,
    );
    await uploadModule({ grpc: this.#client, token: '' }, { moduleId, version, platform }, bytes);
  }

  async yank(name: string, version: string, reason: string): Promise<void> {
    const moduleId = `${this.namespace}:${name}`;
    await this.#client.call(RegistryServiceDefinition, 'yank', { moduleId, version, reason, isUndone: false });
  }

  close(): void {
    this.#client.close();
  }
}
