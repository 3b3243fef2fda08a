/** A field that is not drawn after this many frames is not in the form. */
const MAX_FRAMES = 20;

/** Moves the focus to the field that a pointer is about, once it is drawn. */
export async function showField(within: HTMLElement, pointer: string): Promise<void> {
  for (let frame = 0; frame < MAX_FRAMES; frame++) {
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

/** The field whose pointer is the longest beginning of `pointer`. */
function fieldOf(within: HTMLElement, pointer: string): HTMLElement | undefined {
  const fields = [...within.querySelectorAll<HTMLElement>('[data-pointer]')];
  const lengthOf = (field: HTMLElement): number => field.dataset['pointer']?.length ?? 0;
  return fields
    .filter((field) => `${pointer}/`.startsWith(`${field.dataset['pointer']}/`))
    .sort((a, b) => lengthOf(b) - lengthOf(a))[0];
}
