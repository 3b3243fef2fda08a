/** Whether the labels are saved. */
export interface SavingState {
  readonly kind: 'saved' | 'changed' | 'saving' | 'failed';
  readonly reason: string;
  /** Number of pictures with unsaved labels. */
  readonly count: number;
}
