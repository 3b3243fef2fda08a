const pressedInputs = new Set(['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit']);

/** Where a key press goes, also inside a shadow root. */
export function targetOf(event: Event): Element | undefined {
  const [target] = event.composedPath();
  return target instanceof Element ? target : undefined;
}

/** Whether letters typed there are taken by it. */
export function takesText(target: Element | undefined): boolean {
  if (target instanceof HTMLInputElement) return !pressedInputs.has(target.type);
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLElement && target.isContentEditable;
}

const pressables =
  'button, a[href], summary, select, input, [role=button], [role=switch], [role=checkbox], [role=radio], [role=tab], ' +
  '[role=slider], [role=link], [role=treeitem], [role=gridcell]';

/** Whether Space does something there. */
export function isPressable(target: Element | undefined): boolean {
  return target?.matches(pressables) === true;
}
