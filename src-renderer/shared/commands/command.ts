/** Something a person can do from the palette, by a chord, or both. Its texts are ready to show. */
export interface Command {
  /** Stable, for example `configure.save`: chosen chords are stored under it. */
  readonly id: string;
  readonly title: string;
  readonly group: 'go' | 'resource' | 'action' | 'setting';
  /** A second, less prominent line or word in the palette. */
  readonly detail?: string;
  /** The default chord: `Mod+S`, `Mod+Shift+Z`, `?`. Mod is Ctrl, on a Mac the Command key. */
  readonly keys?: string;
  /** Whether the chord also works in a text field. A single letter never does. */
  readonly whileTyping?: boolean;
  readonly isEnabled?: boolean;
  run(): void;
}
