import { canonicalApi, canonicalModel, parseFullName, parseTriplet } from '../../../proto/config/names.ts';
import type { ComponentConfig } from '../../../proto/gen/core/app/v1/robot.ts';
import type { HandlerDefinition, ModuleServiceDefinition } from '../../../proto/gen/core/module/v1/module.ts';
import { jsonObject } from '../../apis/fields.ts';
import { namespaceIn, protoNameIn, tripletIn, type Dialect } from '../../base/dialect.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import { checkAttributes } from '../check-attributes.ts';
import type { InstanceConfig } from '../context.ts';
import type { Instances } from './instances.ts';
import type { Model } from '../model.ts';
import { servedApi } from './served-custom-apis.ts';

export interface ModuleServiceOptions {
  readonly models: readonly Model[];
  readonly instances: Instances;
  /**
   * Called with the machine's address each time it asks whether the module is ready, because the address may have
   * changed. Rejects if the machine does not answer.
   */
  readonly connect: (parentAddress: string) => Promise<void>;
}

/** `ModuleService`, which the machine calls. */
export function moduleService(options: ModuleServiceOptions): ServiceHandlers<typeof ModuleServiceDefinition> {
  const { models, instances } = options;
  return {
    async ready(request, call) {
      await options.connect(request.rawParentAddress || request.parentAddress);
      return { ready: true, handlermap: { handlers: handlerMap(models, call.dialect) }, webrtcAnswer: '' };
    },

    async validateConfig({ config }) {
      const read = readConfig(models, config, []);
      const { required, optional } = await checked(read);
      return { dependencies: [...required], optionalDependencies: [...optional] };
    },

    async addResource({ config, dependencies }, call) {
      const read = readConfig(models, config, dependencies);
      await checked(read);
      await instances.add(read, call.signal);
      return {};
    },

    async reconfigureResource({ config, dependencies }, call) {
      const read = readConfig(models, config, dependencies);
      await checked(read);
      await instances.reconfigure(read, call.signal);
      return {};
    },

    async removeResource({ name }) {
      const found = parseFullName(name);
      if (found === undefined) {
        throw new ArmatureError('call.bad_argument', `"${name}" is no full name; write namespace:component:type/name.`);
      }
      await instances.remove(found.api, found.name);
      return {};
    },
  };
}

/** What the module offers, with one entry per API. */
function handlerMap(models: readonly Model[], dialect: Dialect): HandlerDefinition[] {
  return [...Map.groupBy(models, ({ api }) => api)].map(([api, ofApi]) => {
    const { namespace = '', family = '', name = '' } = parseTriplet(api) ?? {};
    const service = servedApi(api, ofApi[0]?.customApi)?.service.fullName ?? '';
    return {
      subtype: {
        subtype: { namespace: namespaceIn(namespace, dialect), type: family, subtype: name, name: '' },
        protoService: protoNameIn(service, dialect),
      },
      models: ofApi.map(({ model }) => model),
    };
  });
}

/** @throws {ArmatureError} `call.bad_argument`; `call.not_found` for a model that this module does not have */
function readConfig(
  models: readonly Model[],
  config: ComponentConfig | undefined,
  dependencies: readonly string[],
): InstanceConfig {
  if (config === undefined) throw new ArmatureError('call.bad_argument', 'The request has no config.');
  // Older machines send the API in separate fields, and only for components.
  const written = config.api || `${config.namespace}:component:${config.type}`;
  const api = canonicalApi(written);
  if (api === undefined)
    throw new ArmatureError('call.bad_argument', `"${config.name}": api "${written}" is no triplet.`);
  const triplet = canonicalModel(config.model);
  const model = models.find((one) => one.api === api && one.model === triplet);
  if (model === undefined) {
    const known = models.map((one) => `${one.model} (${one.api})`).join(', ');
    throw new ArmatureError(
      'call.not_found',
      `"${config.name}": this module has no model ${config.model} for ${api}; it has ${known}.`,
    );
  }
  return {
    api,
    name: config.name,
    model,
    attributes: jsonObject(config.attributes),
    dependencies: dependencies.map((name) => tripletIn(name, 'core')),
  };
}

/** The dependencies, after the attributes were checked. @throws {ArmatureError} `config.invalid` */
async function checked({ model, attributes }: InstanceConfig): Promise<ReturnType<Model['dependencies']>> {
  await checkAttributes(model, attributes);
  return model.dependencies(attributes);
}
