import { MotorServiceDefinition } from '../../../../proto/gen/core/component/motor/v1/motor.ts';
import { withTexts } from '../../../shared/text.ts';
import { decimals, glanceAt, type Glances } from '../values/glance.ts';
import { motorMessages } from './messages.ts';

const { getPosition, isPowered } = MotorServiceDefinition.methods;

export const motorGlances: Glances = (text) => {
  const t = withTexts(text, motorMessages);
  return [
    glanceAt(isPowered, {}, ({ powerPct }) => [{ label: t('motor.power'), value: decimals(powerPct, 2), unit: '' }]),
    glanceAt(getPosition, {}, ({ position }) => [
      { label: t('card.position'), value: decimals(position, 1), unit: t('motor.revolutions') },
    ]),
  ];
};
