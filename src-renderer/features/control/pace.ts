const unseenHz = 1;

/** How often to ask: as wanted for what can be seen, once a second for the rest. */
export function paceOf(wantedHz: number, isOnScreen: boolean): number {
  return isOnScreen ? wantedHz : Math.min(wantedHz, unseenHz);
}
