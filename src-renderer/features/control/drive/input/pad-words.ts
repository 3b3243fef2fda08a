import type { Text } from '../../../../shared/text.ts';
import type { AxisChoice } from '../choices/drive-choices.ts';
import type { driveMessages } from '../messages.ts';
import type { Pad } from './pad-watch.ts';

/** Buttons of a gamepad that the browser knows, in its order. */
const faceButtons = ['a', 'b', 'x', 'y', 'lb', 'rb', 'lt', 'rt', 'view', 'menu', 'ls', 'rs'] as const;
const standardButtons = [...faceButtons, 'up', 'down', 'left', 'right', 'home'] as const;
const standardAxes = ['leftX', 'leftY', 'rightX', 'rightY'] as const;

/** The name of a gamepad without what the browser adds: numbers of vendor and product, the mapping. */
export function plainPadName(id: string): string {
  const plain = id
    .replace(/\([^)]*\)/g, ' ')
    .replace(/^[0-9a-f]{4}-[0-9a-f]{4}-/i, '')
    .replace(/\s+/g, ' ')
    .trim();
  return plain === '' ? id : plain;
}

type DriveText = Text<typeof driveMessages>;

/** Before a gamepad is there, as on the usual one. */
export function buttonName(t: DriveText, index: number, pad: Pad | undefined): string {
  const known = pad?.isStandard === false ? undefined : standardButtons[index];
  return known === undefined ? t('drive.pad.button', { number: index }) : t(`drive.pad.buttons.${known}`);
}

export function axisName(t: DriveText, index: number, pad: Pad | undefined): string {
  const known = pad?.isStandard === false ? undefined : standardAxes[index];
  return known === undefined ? t('drive.pad.axis', { number: index }) : t(`drive.pad.axes.${known}`);
}

/** The way of an axis that is forward: `left stick, up`. */
export function wayName(t: DriveText, { axis, isReversed }: AxisChoice, pad: Pad | undefined): string {
  const known = pad?.isStandard === false ? undefined : standardAxes[axis];
  if (known === undefined) return t(isReversed ? 'drive.pad.negative' : 'drive.pad.positive', { number: axis });
  return isReversed ? t(`drive.pad.negatives.${known}`) : t(`drive.pad.positives.${known}`);
}
