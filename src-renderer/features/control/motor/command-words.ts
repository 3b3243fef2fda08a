import { formatFixed } from '../../../shared/format-number.ts';
import type { Text } from '../../../shared/text.ts';
import type { motorMessages } from './messages.ts';
import type { MotorAction } from './motor-command.ts';

/** Describes a command: `going to 20.00 rev at 100 rpm`. */
export function commandWords(t: Text<typeof motorMessages>, action: MotorAction): string {
  switch (action.kind) {
    case 'for':
    case 'to':
      return t(`motor.words.${action.kind}`, {
        revolutions: formatFixed(action.revolutions, 2),
        rpm: formatFixed(action.rpm, Number.isInteger(action.rpm) ? 0 : 1),
      });
    case 'speed':
      return t('motor.words.speed', { rpm: formatFixed(action.rpm, Number.isInteger(action.rpm) ? 0 : 1) });
    case 'zero':
    case 'stop':
      return t(`motor.words.${action.kind}`);
  }
}
