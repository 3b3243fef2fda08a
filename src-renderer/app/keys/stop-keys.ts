/** What decides whether a key stops the machine. */
export interface StopSituation {
  /** Whether this page may move anything. */
  readonly isControlOn: boolean;
  /** Whether something else just took the key: an open dialog, list or search. */
  readonly isTaken: boolean;
  /** Whether the focus is where text is typed. */
  readonly takesText: boolean;
  /** Whether the focus is on something that Space presses. */
  readonly isPressable: boolean;
  /** Whether a pointer left the focus there: then Space is not meant for it. */
  readonly isLeftByPointer: boolean;
  readonly isInDialog: boolean;
}

/** Esc always stops; with control off it is left to what took it. */
export function escapeStops({ isControlOn, isTaken }: StopSituation): boolean {
  return isControlOn || !isTaken;
}

/**
 * Space stops while control is on, unless it types or presses something. A button that was clicked keeps the focus:
 * Space then stops, and does not press *Go* a second time. One that was reached with the keyboard is pressed.
 */
export function spaceStops(situation: StopSituation): boolean {
  const { isControlOn, takesText, isPressable, isLeftByPointer, isInDialog } = situation;
  if (!isControlOn || takesText) return false;
  return !isPressable || (isLeftByPointer && !isInDialog);
}
