/** Something a person can do from the palette, by a chord, or both. Texts are of the catalogue, already filled in. */
export interface Command {
  /** Stable, `configure.save`: chords that a person chose are kept under it. */
  readonly id: string;
  readonly title: string;
  readonly group: 'go' | 'resource' | 'action' | 'setting';
  /** A second, quieter line or word in the palette. */
  readonly detail?: string;
  /** The chord before anybody changes it: `Mod+S`, `Mod+Shift+Z`, `?`. Mod is Ctrl, on a Mac the command key. */
  readonly keys?: string;
  /** Whether the chord also works in a text field. A single letter never does. */
  readonly whileTyping?: boolean;
  readonly isEnabled?: boolean;
  run(): void;
}
