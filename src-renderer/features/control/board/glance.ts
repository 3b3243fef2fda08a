import { BoardServiceDefinition } from '../../../../proto/gen/core/component/board/v1/board.ts';
import { glanceAt, MAX_GLANCE_VALUES, type Glances, type GlanceValue } from '../values/glance.ts';
import { namedEntries } from '../../../shared/readings/board-facts.ts';

const { getDigitalInterruptValue, readAnalogReader } = BoardServiceDefinition.methods;

/** The first analogs and interrupts of a board. */
export const boardGlances: Glances = (_t, attributes) =>
  [
    ...namedEntries(attributes['analogs']).map(({ name }) =>
      glanceAt(readAnalogReader, { analogReaderName: name }, ({ value }) => [plain(name, value)]),
    ),
    ...namedEntries(attributes['digital_interrupts']).map(({ name }) =>
      glanceAt(getDigitalInterruptValue, { digitalInterruptName: name }, ({ value }) => [plain(name, value)]),
    ),
  ].slice(0, MAX_GLANCE_VALUES);

function plain(label: string, value: number | bigint): GlanceValue {
  return { label, value: String(value), unit: '' };
}
