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
 * Handlers that APIs have in common: each API uses those of its own methods. GetGeometries is not among them, since a
 * model without a shape cannot answer it.
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
