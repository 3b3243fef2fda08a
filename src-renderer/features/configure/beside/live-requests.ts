import { boardGlances } from '../../control/board/glance.ts';
import { encoderGlances } from '../../control/encoder/glance.ts';
import type { Glances } from '../../control/glance.ts';
import { motorGlances } from '../../control/motor/glance.ts';
import { sensorGlances } from '../../control/sensor/glance.ts';

/** What there is to see of resources, by their API. */
export const glancesOf: Readonly<Record<string, Glances>> = {
  'core:component:motor': motorGlances,
  'core:component:encoder': encoderGlances,
  'core:component:sensor': sensorGlances,
  'core:component:board': boardGlances,
};
