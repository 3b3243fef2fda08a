import { isEncoded } from '../../../../../src-main/machine/models/motor-gpio/schema.ts';

/** Whether a motor measures itself on demand: the gpio model does, where the configuration gives it an encoder. */
export function isTunable(model: string, attributes: Readonly<Record<string, unknown>>): boolean {
  return model === 'core:builtin:gpio' && isEncoded(attributes);
}
