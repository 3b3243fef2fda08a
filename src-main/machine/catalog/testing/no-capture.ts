import type { CaptureHost } from '../capture-host.ts';

/** For machines that capture nothing. */
export const noCapture: CaptureHost = {
  open: () => Promise.reject(new Error('nothing captures data here')),
};
