const OFF_SCREEN_HZ = 1;

/** How often to poll: as wanted while on the screen, at most once a second otherwise. */
export function pollHz(wantedHz: number, isOnScreen: boolean): number {
  return isOnScreen ? wantedHz : Math.min(wantedHz, OFF_SCREEN_HZ);
}
