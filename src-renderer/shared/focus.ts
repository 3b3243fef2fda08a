import { nextTick } from 'vue';

/** Whether a `focusout` leaves the element that listens, and not only one of the controls in it. */
export function leavesElement({ relatedTarget, currentTarget }: FocusEvent): boolean {
  return !(relatedTarget instanceof Node && currentTarget instanceof Node && currentTarget.contains(relatedTarget));
}

/**
 * Moves the focus to the main part of the page if the element that had it is gone. From the body, Tab would begin at the
 * top of the page again, and a screen reader would say nothing.
 */
export async function keepFocusInPage(): Promise<void> {
  await nextTick();
  if (document.activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true });
}
