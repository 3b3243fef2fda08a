import { EncoderServiceDefinition, PositionType } from '../../../../proto/gen/core/component/encoder/v1/encoder.ts';
import { decimals, glanceAt, type Glances } from '../values/glance.ts';

const { getPosition } = EncoderServiceDefinition.methods;

export const encoderGlances: Glances = (t) => [
  glanceAt(getPosition, {}, ({ value, positionType }) => {
    const unit = positionType === PositionType.ANGLE_DEGREES ? 'degrees' : 'ticks';
    return [{ label: t('card.position'), value: decimals(value, 1), unit: t(`card.units.${unit}`) }];
  }),
];
