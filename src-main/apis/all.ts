import type { ResourceApi } from './api.ts';
import { boardApi } from './board-api.ts';
import { encoderApi } from './encoder-api.ts';
import { genericComponentApi, genericServiceApi } from './generic-api.ts';
import { motorApi } from './motor-api.ts';
import { sensorApi } from './sensor-api.ts';
import type { ServiceDefinition } from '../rpc/service.ts';

/** An API whose instances are known only by its name. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- handlers take narrower resources; the name of the API keeps them apart
export type AnyApi = ResourceApi<any, ServiceDefinition>;

/** Every API the program serves by itself. */
export const builtinApis: readonly AnyApi[] = [
  boardApi,
  motorApi,
  encoderApi,
  sensorApi,
  genericComponentApi,
  genericServiceApi,
];

/** The API of a triplet in our spelling, or undefined for one only modules know. */
export function findApi(api: string): AnyApi | undefined {
  return builtinApis.find((candidate) => candidate.api === api);
}
