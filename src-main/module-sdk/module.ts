import { fullName } from '../../proto/config/names.ts';
import { HealthDefinition } from '../../proto/gen/grpc/health/v1/health.ts';
import { ServerReflectionDefinition } from '../../proto/gen/grpc/reflection/v1/reflection.ts';
import { ServerReflectionDefinition as AlphaReflection } from '../../proto/gen/grpc/reflection/v1alpha/reflection.ts';
import { ModuleServiceDefinition } from '../../proto/gen/core/module/v1/module.ts';
import type { Clock } from '../base/clock.ts';
import { ArmatureError } from '../base/errors.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../rpc/routing/call-router.ts';
import { healthService } from '../rpc/health.ts';
import { DEFAULT_DEADLINE_MS, deadlineInterceptor } from '../rpc/interceptors/deadline.ts';
import { ownDescriptors, reflectionService } from '../rpc/reflection/reflection.ts';
import { Instances } from './server/instances.ts';
import { LogForwarder } from './server/log-forwarder.ts';
import type { Model } from './model.ts';
import { ModuleLogger } from './server/module-logger.ts';
import { moduleAddress, type ModuleOptions } from './server/module-options.ts';
import { ModuleServer } from './server/module-server.ts';
import { moduleService } from './server/module-service.ts';
import { Parent, type OpenPeer } from './server/parent.ts';
import { servedApi, servedCustomApis } from './server/served-custom-apis.ts';

export interface ModuleParts {
  readonly models: readonly Model[];
  readonly options: ModuleOptions;
  readonly clock: Clock;
  readonly openPeer: OpenPeer;
  /** Writes to standard output. */
  readonly print: (text: string) => void;
  /** The machine has been gone for too long. */
  readonly onGone: (reason: string) => void;
}

/** Time for running calls to answer after the module was told to end. */
const DRAIN_MS = 500;
const FLUSH_MS = 1_000;

/** A running module: its models, its connection to the machine, and its log. */
export class Module {
  readonly logger: ModuleLogger;
  readonly #parts: ModuleParts;
  readonly #logForwarder: LogForwarder;
  readonly #parent: Parent;
  readonly #instances: Instances;
  readonly #server: ModuleServer;
  #stopping: Promise<void> | undefined;

  /** @throws {ArmatureError} `call.bad_argument` for models that conflict with each other */
  constructor(parts: ModuleParts) {
    const { models, options, clock, print } = parts;
    checkModels(models);
    this.#parts = parts;
    this.#logForwarder = new LogForwarder(print);
    if (!options.hasParent) this.#logForwarder.printOnly();
    this.logger = new ModuleLogger(
      options.name,
      options.logLevel,
      () => clock.now(),
      (entry) => this.#logForwarder.write(entry),
    );
    this.#parent = new Parent({
      open: parts.openPeer,
      clock,
      moduleName: options.name,
      onLost: (reason) => this.#lost(reason),
      onBack: () => this.#logForwarder.connect(this.#parent.call),
      onGone: parts.onGone,
    });
    this.#instances = new Instances({ logger: this.logger, clock, start: this.#parent.start });
    const router = new CallRouter({ clock, logger: this.logger, maxMessageBytes: MAX_MESSAGE_BYTES });
    this.#mount(router);
    this.#server = new ModuleServer({ router, clock, logger: this.logger });
  }

  /** @throws {ArmatureError} `server.cannot_bind` */
  listen(): Promise<void> {
    return this.#server.listen(this.#parts.options.address);
  }

  /** Stops all actuators, closes all instances, and delivers the rest of the log. Only the first call has an effect. */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  async #stop(): Promise<void> {
    const { clock } = this.#parts;
    await this.#instances.stopActuators();
    await this.#instances.closeAll();
    await this.#server.close(DRAIN_MS);
    await this.#logForwarder.flush(clock, FLUSH_MS);
    this.#parent.close();
  }

  #mount(router: CallRouter): void {
    const { models } = this.#parts;
    router.addInterceptor(deadlineInterceptor(DEFAULT_DEADLINE_MS));
    for (const [api, [model]] of Map.groupBy(models, (one) => one.api)) {
      const served = servedApi(api, model?.customApi);
      if (served === undefined) continue; // checkModels has already checked this
      router.addResourceService(served.service, served.handlers, this.#instances.resolverFor(api));
    }
    const connect = (address: string): Promise<void> => this.#connect(address);
    router.addService(ModuleServiceDefinition, moduleService({ models, instances: this.#instances, connect }));
    router.addService(HealthDefinition, healthService(router, { isReady: true, onChange: () => () => undefined }));
    const custom = models.flatMap(({ customApi }) =>
      customApi === undefined ? [] : (servedCustomApis.get(customApi)?.reflected ?? []),
    );
    const reflected = {
      get serviceNames() {
        return router.serviceNames;
      },
      forwardedServices: [...new Set(custom)],
    };
    const reflection = reflectionService(reflected, ownDescriptors);
    router.addService(ServerReflectionDefinition, reflection);
    router.addService(AlphaReflection, reflection);
  }

  async #connect(address: string): Promise<void> {
    if (!this.#parts.options.hasParent) return;
    if (address === '') throw new ArmatureError('call.bad_argument', 'Ready names no parent_address.');
    await this.#parent.connect(moduleAddress(address, false));
    this.#logForwarder.connect(this.#parent.call);
  }

  /** Without the machine nobody can stop the actuators, so they are stopped here. */
  #lost(reason: string): void {
    this.#logForwarder.printOnly();
    this.logger.warn(`The machine is gone (${reason}): what moves is stopped.`);
    void this.#instances.stopActuators();
  }
}

function checkModels(models: readonly Model[]): void {
  if (models.length === 0) throw bad('A module has to have a model: runModule({ models: [defineModel({ ... })] }).');
  const seen = new Set<string>();
  for (const { api, model, customApi } of models) {
    const key = fullName(api, model);
    if (seen.has(key)) throw bad(`The model ${model} for ${api} is given twice.`);
    seen.add(key);
    if (servedApi(api, customApi) === undefined) {
      throw bad(`${model} has the API ${api}, which the program does not know: describe it with defineApi.`);
    }
    if (models.some((other) => other.api === api && other.customApi !== customApi)) {
      throw bad(`The API ${api} is defined twice: give all its models the same.`);
    }
  }
}

function bad(message: string): ArmatureError {
  return new ArmatureError('call.bad_argument', message);
}
