/** Frames after which a field that is not there is one that the form does not have. */
const longestDrawnFrames = 20;

/** Puts the focus to the field that says what a pointer is about, once it is drawn. */
export async function showField(within: HTMLElement, pointer: string): Promise<void> {
  for (let frame = 0; frame < longestDrawnFrames; frame++) {
    const field = fieldOf(within, pointer);
    if (field !== undefined) {
      field.scrollIntoView({ block: 'center' });
      const focusable = 'input, select, textarea, [contenteditable], button';
      (field.matches(focusable) ? field : field.querySelector<HTMLElement>(focusable))?.focus({ preventScroll: true });
      return;
    }
    await new Promise(requestAnimationFrame);
  }
}

/** The field with the longest pointer that leads to `pointer`. */
function fieldOf(within: HTMLElement, pointer: string): HTMLElement | undefined {
  const fields = [...within.querySelectorAll<HTMLElement>('[data-pointer]')];
  const lengthOf = (field: HTMLElement): number => field.dataset['pointer']?.length ?? 0;
  return fields
    .filter((field) => `${pointer}/`.startsWith(`${field.dataset['pointer']}/`))
    .sort((a, b) => lengthOf(b) - lengthOf(a))[0];
}
