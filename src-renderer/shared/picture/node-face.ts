import type { Tone } from '../machine/rpc/status-merge.ts';

/** How a node of a picture looks, and what it says. */
export interface NodeFace {
  readonly name: string;
  /** All that the box shows, for screen readers and as its tip. */
  readonly label: string;
  /** Where a click leads; undefined for a box that is no link. */
  readonly href: string | undefined;
  /** Colour of its dot. */
  readonly tone: Tone | 'new';
  readonly isSelected?: boolean;
  readonly isDashed?: boolean;
  readonly isWrong?: boolean;
  /** The line below the name, in a picture that has such lines. */
  readonly value?: string;
  /** Whether the value is of before the link was lost. */
  readonly isOld?: boolean;
  /** The button that pins its value; undefined for a value that cannot be pinned. */
  readonly pin?: { readonly label: string; readonly isOn: boolean } | undefined;
}
