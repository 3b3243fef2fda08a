import { isEncoded } from '../../../../../src-main/machine/models/motor-gpio/schema.ts';

/** Whether a motor can be tuned: the gpio model can, where its configuration names an encoder. */
export function isTunable(model: string, attributes: Readonly<Record<string, unknown>>): boolean {
  return model === 'core:builtin:gpio' && isEncoded(attributes);
}
