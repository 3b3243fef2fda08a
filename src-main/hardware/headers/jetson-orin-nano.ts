import { headerPins, usualSupplies, type Header } from './header.ts';

/**
 * Boards P3509 and P3768 with a module P3767: Orin Nano or NX. With or without `-super`, which is another power mode.
 */
const boards = /^nvidia,p(3509|3768)-0000\+p3767-000[0-5](-super)?$/;

/**
 * The 40 pins of the developer kit of NVIDIA's Jetson Orin Nano and NX. Offsets are those of NVIDIA/jetson-gpio,
 * `lib/python/Jetson/GPIO/gpio_pin_data.py`, JETSON_ORIN_NX_PIN_DEFS. Pins 3, 5, 8, 10, 27 and 28 are buses only.
 */
export const jetsonOrinNano: Header = {
  name: 'jetson-orin-nano',
  title: 'Jetson Orin Nano or NX developer kit, 40 pins',
  chipLabels: ['tegra234-gpio'],
  pins: headerPins(usualSupplies, {
    7: 144,
    11: 112,
    12: 50,
    13: 122,
    15: 85,
    16: 126,
    18: 125,
    19: 135,
    21: 134,
    22: 123,
    23: 133,
    24: 136,
    26: 137,
    29: 105,
    31: 106,
    32: 41,
    33: 43,
    35: 53,
    36: 113,
    37: 124,
    38: 52,
    40: 51,
  }),
  names: new Map(),
  // Its pins are given to PWM by a tool of NVIDIA's, and not by names that are known here: `pins` of a board names them.
  pwmChannels: new Map(),
  isOn: ({ compatible }) => compatible.some((name) => boards.test(name)),
};
