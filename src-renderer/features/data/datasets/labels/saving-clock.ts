/** Time, as far as saving needs it. */
export interface Clock {
  /** Calls back once, later. @returns what calls it off */
  after(ms: number, callback: () => void): () => void;
}

export const pageClock: Clock = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
