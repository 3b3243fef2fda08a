/** What decides whether a key stops the machine. */
export interface StopSituation {
  /** Whether this page may move anything. */
  readonly isControlOn: boolean;
  /** Whether something else handles the key: an open dialog, list or search. */
  readonly isTaken: boolean;
  /** Whether the focus is in a text field. */
  readonly takesText: boolean;
  /** Whether the focus is on something that runs while Space is held: then letting it go is what stops. */
  readonly isHeldBySpace: boolean;
  /** Whether the focus is on something that Space presses. */
  readonly isPressable: boolean;
  /** Whether the focus was set by a pointer: then Space is not meant for the element. */
  readonly isLeftByPointer: boolean;
  readonly isInDialog: boolean;
}

/** Esc always stops while control is on; otherwise only if nothing else handles the key. */
export function escapeStops({ isControlOn, isTaken }: StopSituation): boolean {
  return isControlOn || !isTaken;
}

/**
 * Space stops while control is on, unless it types, holds or presses something. A button that was clicked keeps the focus:
 * Space then stops, and does not press *Go* a second time. A button that was focused with the keyboard is pressed.
 */
export function spaceStops(situation: StopSituation): boolean {
  const { isControlOn, takesText, isHeldBySpace, isPressable, isLeftByPointer, isInDialog } = situation;
  if (!isControlOn || takesText || isHeldBySpace) return false;
  return !isPressable || (isLeftByPointer && !isInDialog);
}
