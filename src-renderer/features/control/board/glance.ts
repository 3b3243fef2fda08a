import { BoardServiceDefinition } from '../../../../proto/gen/core/component/board/v1/board.ts';
import { glanceAt, mostShown, type Glances, type GlanceValue } from '../values/glance.ts';
import { namedIn } from './board-facts.ts';

const { getDigitalInterruptValue, readAnalogReader } = BoardServiceDefinition.methods;

/** Its first analogs and interrupts. */
export const boardGlances: Glances = (_t, attributes) =>
  [
    ...namedIn(attributes['analogs']).map(({ name }) =>
      glanceAt(readAnalogReader, { analogReaderName: name }, ({ value }) => [plain(name, value)]),
    ),
    ...namedIn(attributes['digital_interrupts']).map(({ name }) =>
      glanceAt(getDigitalInterruptValue, { digitalInterruptName: name }, ({ value }) => [plain(name, value)]),
    ),
  ].slice(0, mostShown);

function plain(label: string, value: number | bigint): GlanceValue {
  return { label, value: String(value), unit: '' };
}
