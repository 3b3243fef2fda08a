import { DoCommandRequest } from '../../../proto/gen/core/common/v1/common.ts';
import { findApi } from '../../apis/all.ts';
import { ArmatureError } from '../../base/errors.ts';
import { withFirstField } from '../../rpc/routing/first-field.ts';
import type { MessageType } from '../../rpc/method.ts';
import type { Router } from '../../rpc/router.ts';
import type { JobConfig } from './job-config.ts';
import { methodProblem, publicMethods, type JobMethod } from './job-method.ts';

/** The call targets of jobs: the resources of a machine, in any process. */
export interface JobCallContext {
  /** Where calls of this machine go; undefined while nothing is served yet. */
  router(): Router | undefined;
  /** All resources that a short or full name may mean now. */
  find(name: string): readonly { readonly api: string; readonly name: string }[];
  /** Full name of the service that carries an API; undefined where none does. */
  serviceOf(api: string): string | undefined;
}

/** The call of one run, as it goes through the router. */
export interface JobCall {
  readonly router: Router;
  readonly path: string;
  readonly request: Uint8Array;
  /** Undefined for APIs whose responses only modules can decode. */
  readonly responseType: MessageType<unknown> | undefined;
}

/**
 * The current call of a job: the meaning of its name, and where that resource lives, may differ from run to run.
 * @throws {ArmatureError} `resource.not_found`, `resource.not_ready`, `call.failed_precondition`, `call.unimplemented`
 */
export function jobCall({ resource, method, command }: JobConfig, place: JobCallContext): JobCall {
  const [found, ...others] = place.find(resource);
  if (found === undefined) {
    throw new ArmatureError('resource.not_found', `There is no resource "${resource}".`);
  }
  const { api, name } = found;
  if (others.length > 0) {
    const all = [found, ...others].map((one) => `${one.api}/${one.name}`).join(', ');
    throw new ArmatureError('call.failed_precondition', `"${resource}" may be ${all}; write the full name.`);
  }
  const router = place.router();
  const service = place.serviceOf(api);
  if (router === undefined || service === undefined) {
    throw new ArmatureError('resource.not_ready', `Resource ${api}/${name} cannot be called: ${api} is not served.`);
  }
  const fault = methodProblem(methodsOf(api, service, router), method, api);
  if (fault !== undefined) throw new ArmatureError('call.unimplemented', fault.message);
  const definition = Object.values(findApi(api)?.service.methods ?? {}).find((one) => one.name === method);
  const request =
    method === 'DoCommand'
      ? DoCommandRequest.encode({ name, command }).finish()
      : // By convention the first field of each request is the name, whatever it is called.
        withFirstField(new Uint8Array(), name);
  return { router, path: `/${service}/${method}`, request, responseType: definition?.responseType };
}

function methodsOf(api: string, service: string, router: Router): readonly JobMethod[] {
  const foreign = router.forwardedServices.find(({ fullName }) => fullName === service)?.methods;
  return (
    foreign?.map(({ name, requestStream, responseStream }) => ({ name, isStream: requestStream || responseStream })) ??
    publicMethods(api) ??
    []
  );
}
