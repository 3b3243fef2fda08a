import { nextTick } from 'vue';

/** What a keyboard can change in a field; its help button is none of it. */
const controls = 'input:not(:disabled), select:not(:disabled), textarea:not(:disabled)';

/** The first control inside an element: an input, the editor of a JSON value, or any other control. */
export function firstControl(inside: Element): HTMLElement | undefined {
  return (
    inside.querySelector<HTMLElement>(controls) ??
    inside.querySelector('.json-field')?.shadowRoot?.querySelector<HTMLElement>('[contenteditable]') ??
    inside.querySelector<HTMLElement>('button:not(.info), [tabindex="0"]') ??
    undefined
  );
}

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
