import { MotorServiceDefinition } from '../../../../proto/gen/core/component/motor/v1/motor.ts';
import { decimals, glanceAt, type Glances } from '../glance.ts';

const { getPosition, isPowered } = MotorServiceDefinition.methods;

export const motorGlances: Glances = (t) => [
  glanceAt(isPowered, {}, ({ powerPct }) => [{ label: t('motor.power'), value: decimals(powerPct, 2), unit: '' }]),
  glanceAt(getPosition, {}, ({ position }) => [
    { label: t('motor.position'), value: decimals(position, 1), unit: t('motor.revolutions') },
  ]),
];
