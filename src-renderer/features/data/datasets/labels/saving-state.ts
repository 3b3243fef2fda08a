/** Whether what was said of pictures is stored. */
export interface SavingState {
  readonly kind: 'saved' | 'changed' | 'saving' | 'failed';
  readonly reason: string;
  /** Pictures that are not saved. */
  readonly count: number;
}
