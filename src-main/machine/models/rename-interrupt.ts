import type { DigitalInterrupt } from '../../apis/board/types.ts';

/** The same interrupt under another name: ticks carry the name that was asked for. */
export function renameInterrupt(name: string, interrupt: DigitalInterrupt): DigitalInterrupt {
  if (interrupt.name === name) return interrupt;
  return {
    name,
    get failure() {
      return interrupt.failure;
    },
    value: () => interrupt.value(),
    level: () => interrupt.level(),
    catchUp: () => interrupt.catchUp?.(),
    ...(interrupt.onGap !== undefined && { onGap: (listener) => interrupt.onGap!(listener) }),
    onTick: (listener) => interrupt.onTick((tick) => listener({ ...tick, interrupt: name })),
  };
}
