/** What became of the last command of a motor card. */
export type MotorCommand =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'going';
      readonly mode: 'for' | 'to';
      readonly revolutions: number;
      readonly rpm: number;
      readonly startedAt: number;
    }
  | { readonly kind: 'done' | 'stopped'; readonly tookMs: number }
  | { readonly kind: 'zeroed' }
  | { readonly kind: 'failed'; readonly reason: string };
