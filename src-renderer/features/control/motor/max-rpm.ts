import { DEFAULT_FAKE_MAX_RPM } from '../../../../src-main/machine/models/motor-fake/schema.ts';

/** Configured speed at full power, rpm; undefined where it is not known, or ignored because of an encoder. */
export function maxRpmOf(model: string, attributes: Readonly<Record<string, unknown>>): number | undefined {
  const { max_rpm: maxRpm, encoder } = attributes;
  if (typeof encoder === 'string' && encoder !== '') return undefined;
  if (typeof maxRpm === 'number' && maxRpm > 0) return maxRpm;
  return model === 'core:builtin:fake' ? DEFAULT_FAKE_MAX_RPM : undefined;
}
