import { clamp, type MotorModel } from './motor-model.ts';

/** Standard deviation of the change of a motor's torque within a second, as a share of full torque. */
const TORQUE_DRIFT = 0.3;
/** Deviation of a motor's acceleration from the model, as a share of that at full power, and how long one lasts. */
const MISFIT = 0.15;
const MISFIT_SEC = 0.1;
/** Deviation of an encoder's ticks from their ideal positions, as a share of a tick. */
const UNEVEN = 0.1;
/** How certain it is that a motor that has not ticked is still before its next tick. */
const STILL_BEFORE = 0.15;
const MAX_RESISTANCE = 0.8;

/**
 * Estimates where a motor is between two ticks and how fast it turns, from the model and the power sent, corrected by
 * each tick and by the absence of ticks (a Kalman filter over position, speed, and unexplained torque). Pure: no clock.
 * Revolutions and seconds.
 */
export class MotionObserver {
  readonly #model: MotorModel;
  readonly #tick: number;
  #count: number;
  #position: number;
  #speed: number;
  #resistance = 0;
  // Covariances: position, position-speed, position-resistance, speed, speed-resistance, resistance.
  #pp: number;
  #ps = 0;
  #pr = 0;
  #ss: number;
  #sr = 0;
  #rr = 0.05 ** 2;

  /** @param count ticks; @param tick revolutions per tick */
  constructor(model: MotorModel, start: { readonly count: number; readonly speed: number }, tick: number) {
    this.#model = model;
    this.#tick = tick;
    this.#count = start.count;
    this.#position = (start.count + 0.5) * tick;
    this.#speed = start.speed;
    this.#pp = tick ** 2 / 12;
    this.#ss = (0.3 * start.speed) ** 2;
  }

  /** Estimated position within the current tick, revolutions. */
  get position(): number {
    return this.#position;
  }

  get speed(): number {
    return this.#speed;
  }

  /** Standard deviation of {@link speed}. */
  get speedUncertainty(): number {
    return Math.sqrt(this.#ss);
  }

  /**
   * Torque that neither the power nor the learned friction explains; positive opposes forward motion; a share of full
   * torque.
   */
  get resistance(): number {
    return this.#resistance;
  }

  /** @param count ticks after `sec` in which `power` was sent */
  step(sec: number, count: number, power: number): void {
    this.#predict(sec, power);
    this.#correct(sec, count);
  }

  #predict(sec: number, power: number): void {
    const gain = this.#model.gainOrGuess;
    const { delaySec, friction } = this.#model;
    const keep = Math.exp(-sec / delaySec);
    const net = this.#model.effective(power) - this.#resistance;
    const isTurning = Math.abs(this.#speed) > 1e-3 * gain;
    const rub = isTurning ? Math.sign(this.#speed) * friction : clamp(net, -friction, friction);
    const finalSpeed = gain * (net - rub);
    const before = this.#speed;
    let speed = finalSpeed + (before - finalSpeed) * keep;
    // Friction ends a motion; it never reverses it.
    if (isTurning && speed * before < 0 && Math.abs(net) < friction) speed = 0;
    const gone = finalSpeed * sec + (before - finalSpeed) * delaySec * (1 - keep);
    this.#position += speed === 0 ? (before * sec) / 3 : gone;
    this.#speed = speed;
    // How position, speed and torque depend on each other over the step.
    const a = delaySec * (1 - keep);
    const b = -gain * (sec - a);
    const c = -gain * (1 - keep);
    const { ps, pr, ss, sr, rr } = { ps: this.#ps, pr: this.#pr, ss: this.#ss, sr: this.#sr, rr: this.#rr };
    this.#pp += 2 * a * ps + 2 * b * pr + a * a * ss + 2 * a * b * sr + b * b * rr;
    this.#ps = keep * ps + c * pr + a * keep * ss + (a * c + b * keep) * sr + b * c * rr;
    this.#pr = pr + a * sr + b * rr;
    this.#ss = keep * keep * ss + 2 * keep * c * sr + c * c * rr;
    this.#sr = keep * sr + c * rr;
    const drift = ((MISFIT * gain) / delaySec) ** 2 * MISFIT_SEC * sec;
    this.#ss += drift * clamp(delaySec / 0.1, 0.3, 1);
    this.#rr += TORQUE_DRIFT ** 2 * sec;
  }

  #correct(sec: number, count: number): void {
    const tick = this.#tick;
    const ticks = count - this.#count;
    this.#count = count;
    if (ticks !== 0) {
      const direction = Math.sign(ticks);
      // Where it entered the current tick, and how far it may have moved since then.
      const entry = (direction > 0 ? count : count + 1) * tick;
      const gone = Math.min(tick, Math.max(Math.abs(ticks) > 1 ? tick / 2 : 0, Math.abs(this.#speed) * sec));
      this.#update(entry + (direction * gone) / 2, gone ** 2 / 12 + (UNEVEN * tick) ** 2);
    } else {
      const least = count * tick;
      const nearest = clamp(this.#position, least, least + tick);
      if (nearest !== this.#position) this.#update(nearest, (STILL_BEFORE * tick) ** 2);
    }
  }

  #update(seen: number, variance: number): void {
    const off = seen - this.#position;
    const sum = this.#pp + variance;
    const [kp, ks, kr] = [this.#pp / sum, this.#ps / sum, this.#pr / sum];
    this.#position += kp * off;
    this.#speed += ks * off;
    this.#resistance = clamp(this.#resistance + kr * off, -MAX_RESISTANCE, MAX_RESISTANCE);
    const { pp, ps, pr } = { pp: this.#pp, ps: this.#ps, pr: this.#pr };
    this.#ss = Math.max(1e-12, this.#ss - ks * ps);
    this.#sr -= ks * pr;
    this.#rr = Math.max(1e-8, this.#rr - kr * pr);
    this.#pp = Math.max(1e-14, pp - kp * pp);
    this.#ps = ps - kp * ps;
    this.#pr = pr - kp * pr;
  }
}
