/** The timer that saving needs. */
export interface Clock {
  /**
   * Calls `callback` once after a delay.
   * @returns a function that cancels it
   */
  after(ms: number, callback: () => void): () => void;
}

export const pageClock: Clock = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
