/** PWM chips whose channels all have one frequency, by what their drivers call them (NXP PCA9685, 7.3.5). */
const ONE_CLOCK = /pca9685/i;

/** Whether a name of a PWM chip, of its driver or in the device tree says that its channels have one clock. */
export function saysOneClock(name: string): boolean {
  return ONE_CLOCK.test(name);
}
