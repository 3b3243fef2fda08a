const pressedInputs = new Set(['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit']);

/** The target of a key press, also inside a shadow root. */
export function targetOf(event: Event): Element | undefined {
  const [target] = event.composedPath();
  return target instanceof Element ? target : undefined;
}

/** Whether the element takes typed letters. */
export function takesText(target: Element | undefined): boolean {
  if (target instanceof HTMLInputElement) return !pressedInputs.has(target.type);
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLElement && target.isContentEditable;
}

const pressables =
  'button, a[href], summary, select, input, [role=button], [role=switch], [role=checkbox], [role=radio], [role=tab], ' +
  '[role=slider], [role=link], [role=treeitem], [role=gridcell]';

/** Whether Space does something on the element. */
export function isPressable(target: Element | undefined): boolean {
  return target?.matches(pressables) === true;
}

/** Whether something runs while Space is held on the element. */
export function isHeldBySpace(target: Element | undefined): boolean {
  return target?.matches('[data-held-by-space]') === true;
}
