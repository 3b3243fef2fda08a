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
