import { callOptions, jsonObject, unimplemented } from './fields.ts';
import type { Resource } from './resource.ts';
import type { ServerCall } from '../rpc/call.ts';
import type {
  DoCommandRequest,
  DoCommandResponse,
  GetGeometriesRequest,
  GetGeometriesResponse,
  GetStatusRequest,
  GetStatusResponse,
} from '../../proto/gen/core/common/v1/common.ts';

/**
 * Handlers of what APIs have in common: of an API those whose methods it has. GetGeometries is no method that a model
 * without a shape could answer.
 */
export const commonHandlers = {
  async doCommand(resource: Resource, request: DoCommandRequest, call: ServerCall): Promise<DoCommandResponse> {
    if (resource.doCommand === undefined) throw unimplemented(resource, 'DoCommand');
    return { result: await resource.doCommand(jsonObject(request.command), callOptions({}, call)) };
  },
  async getStatus(resource: Resource, _request: GetStatusRequest): Promise<GetStatusResponse> {
    return { result: resource.status === undefined ? {} : await resource.status() };
  },
  getGeometries(resource: Resource, _request: GetGeometriesRequest): Promise<GetGeometriesResponse> {
    return Promise.reject(unimplemented(resource, 'GetGeometries'));
  },
};
