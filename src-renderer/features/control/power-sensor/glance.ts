import { PowerSensorServiceDefinition } from '../../../../proto/gen/core/component/powersensor/v1/powersensor.ts';
import { decimals, glanceAt, type Glances } from '../values/glance.ts';
import { powerSensorMessages } from './messages.ts';

const { getVoltage, getCurrent, getPower } = PowerSensorServiceDefinition.methods;
const words = powerSensorMessages.power;

export const powerSensorGlances: Glances = () => [
  glanceAt(getVoltage, {}, ({ volts }) => [{ label: words.voltage, value: decimals(volts, 2), unit: 'V' }]),
  glanceAt(getCurrent, {}, ({ amperes }) => [{ label: words.current, value: decimals(amperes, 3), unit: 'A' }]),
  glanceAt(getPower, {}, ({ watts }) => [{ label: words.power, value: decimals(watts, 2), unit: 'W' }]),
];
