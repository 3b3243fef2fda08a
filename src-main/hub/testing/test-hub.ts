import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { AppServiceDefinition } from '../../../proto/gen/core/app/v1/app.ts';
import { AuthServiceDefinition } from '../../../proto/gen/proto/rpc/v1/auth.ts';
import { encodeMessage } from '../../../proto/message.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import type { StatusCode } from '../../base/status.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../rpc/routing/call-router.ts';
import type { Connection } from '../../rpc/call.ts';
import type { RequestOf, ResponseOf, ServiceDefinition } from '../../rpc/service.ts';
import { callOnce, type RecordedCall } from '../../rpc/testing/local-caller.ts';
import { TrackedConnection } from '../../rpc/tracked-connection.ts';
import type { Quotas } from '../access/quotas.ts';
import { Hub } from '../hub.ts';
import type { FirstStart } from '../first-start.ts';
import { mountWithAccess } from '../hub-door.ts';
import type { UploadLimits } from '../blobs/blob-uploads.ts';
import type { TestPlace, TestStoreKind } from '../storage/testing/test-stores.ts';
import type { TrainingRunner } from '../training/runner/training-runner.ts';

/** The status of a failed call. */
export class CallFailure extends Error {
  readonly code: StatusCode;

  constructor(code: StatusCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The files folder of each place, so that a hub that is opened there again has its files. */
const folders = new WeakMap<TestPlace, string>();

type Methods = (typeof AppServiceDefinition)['methods'];

/** Calls `AppService` with a token; rejects with a {@link CallFailure}. */
export type AppCall = <K extends keyof Methods>(
  method: K,
  request: Partial<RequestOf<Methods[K]>>,
) => Promise<ResponseOf<Methods[K]>>;

export interface Login {
  readonly id: string;
  readonly secret: string;
  readonly type?: string;
}

/** A hub on a router without a port; callers may have any address. */
export class TestHub {
  readonly hub: Hub;
  readonly router: CallRouter;
  readonly place: TestPlace;
  /** The folder of its files. */
  readonly folder: string;

  private constructor(hub: Hub, router: CallRouter, place: TestPlace, folder: string) {
    this.hub = hub;
    this.router = router;
    this.place = place;
    this.folder = folder;
  }

  static async open(
    kind: TestStoreKind,
    clock: Clock = systemClock,
    place?: TestPlace,
    options: {
      readonly uploadLimits?: UploadLimits;
      readonly dataLimits?: UploadLimits;
      readonly folder?: string;
      readonly quotas?: Partial<Quotas>;
      readonly isEnvironmentUntrusted?: boolean;
      readonly trainingRunner?: TrainingRunner;
    } = {},
  ): Promise<TestHub> {
    const where = place ?? (await kind.makePlace());
    const folder =
      options.folder ?? folders.get(where) ?? (await mkdtemp(path.join(os.tmpdir(), 'armature-hub-files-')));
    folders.set(where, folder);
    const hub = await Hub.open({
      ...options,
      address: where.address,
      folder,
      clock,
      logger: silentLogger,
      machineName: 'bench',
      onStoreLost: (reason) => {
        throw new Error(reason);
      },
    });
    const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
    mountWithAccess(hub, router, { allowsInsecureCreds: false });
    return new TestHub(hub, router, where, folder);
  }

  /** Ids of what the first start created, and the owner key. */
  get first(): FirstStart {
    if (this.hub.parts.firstStart === undefined) throw new Error('this start was not the first');
    return this.hub.parts.firstStart;
  }

  /** Closes the hub and keeps its store. */
  close(): Promise<void> {
    return this.hub.close();
  }

  async end(): Promise<void> {
    await this.close();
    await this.place.remove();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Starts a call of any method from loopback. */
  start<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    definition: D,
    method: K,
    request: Partial<RequestOf<D['methods'][K]>>,
    options: { readonly token?: string; readonly connection?: Connection } = {},
  ): RecordedCall {
    const type = definition.methods[method];
    if (type === undefined) throw new Error(`${definition.fullName} has no ${method}`);
    const bytes = encodeMessage(type.requestType, (type.requestType as unknown as FromPartial).fromPartial(request));
    return callOnce(this.router, `/${definition.fullName}/${type.name}`, bytes, {
      connection: options.connection ?? connectionFrom('127.0.0.1'),
      metadata: options.token === undefined ? {} : { authorization: `Bearer ${options.token}` },
    });
  }

  async call<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    definition: D,
    method: K,
    request: Partial<RequestOf<D['methods'][K]>>,
    options: { readonly token?: string; readonly connection?: Connection } = {},
  ): Promise<ResponseOf<D['methods'][K]>> {
    const call = this.start(definition, method, request, options);
    const status = await call.ended;
    if (status.code !== 0) throw new CallFailure(status.code, status.message);
    return definition.methods[method]?.responseType.decode(call.messages[0] as Uint8Array) as ResponseOf<
      D['methods'][K]
    >;
  }

  async logIn({ id, secret, type = 'api-key' }: Login, connection?: Connection): Promise<string> {
    const request = { entity: id, credentials: { type, payload: secret } };
    const options = connection === undefined ? {} : { connection };
    return (await this.call(AuthServiceDefinition, 'authenticate', request, options)).accessToken;
  }

  /** `AppService` for a key. */
  async as(login: Login): Promise<AppCall> {
    const token = await this.logIn(login);
    return (method, request) => this.call(AppServiceDefinition, method, request, { token });
  }

  asOwner(): Promise<AppCall> {
    return this.as(this.first.ownerKey);
  }
}

interface FromPartial {
  readonly fromPartial: (partial: unknown) => unknown;
}

/** A gRPC connection from an address. */
export function connectionFrom(remoteAddress: string, isEncrypted = false): Connection {
  return new TrackedConnection({ remoteAddress, localAddress: '10.0.0.1' }, 'grpc', isEncrypted, true);
}
