import { headerPins, usualSupplies, type Header } from './header.ts';

/** Lines of the SoC that are on the header; the number in `GPIO17` is the offset on every Raspberry Pi. */
const mostLines = 28;

/**
 * The 40 pins of every Raspberry Pi since the B+ (2014), of the 400, 500 and Zero, and of the boards for the Compute
 * Modules 4 and 5. Source: raspberrypi.com/documentation/computers/raspberry-pi.html, "GPIO and the 40-pin header".
 * The models A and B before had 26 pins, which is another header.
 */
export const raspberryPi: Header = {
  name: 'raspberry-pi',
  title: 'Raspberry Pi, 40 pins',
  chipLabels: ['pinctrl-rp1', 'pinctrl-bcm2711', 'pinctrl-bcm2835'],
  pins: headerPins(usualSupplies, {
    3: 2,
    5: 3,
    7: 4,
    8: 14,
    10: 15,
    11: 17,
    12: 18,
    13: 27,
    15: 22,
    16: 23,
    18: 24,
    19: 10,
    21: 9,
    22: 25,
    23: 11,
    24: 8,
    26: 7,
    27: 0,
    28: 1,
    29: 5,
    31: 6,
    32: 12,
    33: 13,
    35: 19,
    36: 16,
    37: 26,
    38: 20,
    40: 21,
  }),
  names: new Map(Array.from({ length: mostLines }, (_, offset) => [`GPIO${offset}`, offset])),
  // BCM2835 ARM Peripherals, table 6-31, as arch/arm/boot/dts/overlays/README of raspberrypi/linux has it ("pwm-2chan");
  // of the RP1 what `pinctrl funcs` says: PWM0_CHAN0 to PWM0_CHAN3.
  pwmChannels: new Map([
    [
      'brcm,bcm2835-pwm',
      new Map([
        [12, 0],
        [13, 1],
        [18, 0],
        [19, 1],
      ]),
    ],
    [
      'raspberrypi,rp1-pwm',
      new Map([
        [12, 0],
        [13, 1],
        [18, 2],
        [19, 3],
      ]),
    ],
  ]),
  isOn: ({ model }) =>
    model.startsWith('Raspberry Pi') && !/^Raspberry Pi (Model [AB] Rev|Compute Module (Rev|3|4S))/.test(model),
};
