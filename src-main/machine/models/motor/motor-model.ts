/** What is assumed of a motor that was not seen turning: the delay of a small geared one. */
const FIRST_DELAY_SEC = 0.1;
/** Power that is tried first, where nothing is known. */
const FIRST_POWER = 0.2;
const SHORTEST_DELAY_SEC = 0.01;
const LONGEST_DELAY_SEC = 2;
/** Both power and speed are averaged over this before they are compared. */
const AVERAGE_SEC = 0.1;
/** Time after which an observation has lost most of its weight. */
const MEMORY_SEC = 5;
/** Sum of squared power from which on observations say enough. */
const TELLING_ENERGY = 0.05;
/** How far observations must be from saying only one thing, 0 to 1. */
const TELLING_SPREAD = 1e-3;

/**
 * Learns how a motor answers to power: `delay * acceleration = gain * power - speed`,
 * fitted by least squares to what was seen, the older the less. Kept from one
 * command to the next. Pure: no clock.
 */
export class MotorModel {
  #gain: number | undefined;
  #delaySec = FIRST_DELAY_SEC;
  #power = 0;
  #speed = 0;
  #powerPower = 0;
  #powerSpeed = 0;
  #speedSpeed = 0;
  #powerChange = 0;
  #speedChange = 0;

  /** Revolutions a second at full power; undefined before the motor was seen turning. */
  get gain(): number | undefined {
    return this.#gain;
  }

  /** Time in which a motor closes 63 % of the gap to a new speed. */
  get delaySec(): number {
    return this.#delaySec;
  }

  /** The gain, or for a motor never seen one that makes a speed of `cruise` take a little power. */
  gainOrGuess(cruise: number): number {
    return this.#gain ?? cruise / FIRST_POWER;
  }

  /** A command begins with the motor as it is: what was averaged before is of another time. */
  begin(speed: number, power: number): void {
    this.#speed = speed;
    this.#power = power;
  }

  /** @param speed revolutions a second over the last `sec`, in which `power` was sent */
  observe(sec: number, speed: number, power: number): void {
    const share = Math.min(1, sec / AVERAGE_SEC);
    const acceleration = ((speed - this.#speed) * share) / sec;
    // The middle of the interval, where the acceleration belongs.
    const middleSpeed = this.#speed + (acceleration * sec) / 2;
    const middlePower = this.#power + ((power - this.#power) * share) / 2;
    this.#speed += acceleration * sec;
    this.#power += (power - this.#power) * share;
    const keep = Math.exp(-sec / MEMORY_SEC);
    this.#powerPower = this.#powerPower * keep + middlePower * middlePower;
    this.#powerSpeed = this.#powerSpeed * keep + middlePower * middleSpeed;
    this.#speedSpeed = this.#speedSpeed * keep + middleSpeed * middleSpeed;
    this.#powerChange = this.#powerChange * keep + middlePower * acceleration;
    this.#speedChange = this.#speedChange * keep + middleSpeed * acceleration;
    this.#fit();
  }

  #fit(): void {
    const determinant = this.#powerPower * this.#speedSpeed - this.#powerSpeed * this.#powerSpeed;
    if (this.#powerPower < TELLING_ENERGY) return;
    if (determinant > TELLING_SPREAD * this.#powerPower * this.#speedSpeed) {
      const push = (this.#powerChange * this.#speedSpeed - this.#speedChange * this.#powerSpeed) / determinant;
      const drag = (this.#powerChange * this.#powerSpeed - this.#speedChange * this.#powerPower) / determinant;
      if (push > 0 && drag > 0) {
        this.#gain = push / drag;
        this.#delaySec = Math.min(LONGEST_DELAY_SEC, Math.max(SHORTEST_DELAY_SEC, 1 / drag));
      }
      return;
    }
    // Steady speed: it says the gain, and nothing of the delay.
    if (this.#powerSpeed > 0) this.#gain = this.#powerSpeed / this.#powerPower;
  }
}
