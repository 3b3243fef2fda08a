import { parseFullName } from '../../../proto/config/names.ts';
import { GetReadingsRequest, GetReadingsResponse } from '../../../proto/gen/core/common/v1/common.ts';
import { ArmatureError } from '../../base/errors.ts';
import { callLocally, localConnection } from '../../rpc/routing/local-call.ts';
import type { Router } from '../../rpc/router.ts';
import type { MaintenanceGateOptions } from './maintenance-gate.ts';

const GET_READINGS = '/core.component.sensor.v1.SensorService/GetReadings';

/** Reads sensors like any caller, so that it does not matter which process has them. */
export function sensorReader(router: () => Router | undefined): MaintenanceGateOptions['readSensor'] {
  const connection = localConnection('maintenance');
  return async (fullName, timeoutMs) => {
    const served = router();
    const name = parseFullName(fullName)?.name;
    if (served === undefined || name === undefined) {
      throw new ArmatureError('resource.not_ready', `resource ${fullName} not available: nothing is served yet`);
    }
    const request = GetReadingsRequest.encode({ name, extra: undefined }).finish();
    const answer = await callLocally(served, connection, GET_READINGS, request, timeoutMs);
    return GetReadingsResponse.decode(answer).readings;
  };
}
