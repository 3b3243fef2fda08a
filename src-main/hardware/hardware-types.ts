/** What the addon offers, for who may not import it (`build/lint/layers.js`). */
export type {
  Adc,
  EdgeBatch,
  EdgeWatch,
  GpioChip,
  GpioLine,
  Hardware,
  HardwarePwm,
  Line,
  LineOptions,
  PwmChip,
  SimWorld,
} from '../../native/index.js';
