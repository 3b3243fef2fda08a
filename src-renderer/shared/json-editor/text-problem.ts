/** A problem in a text, with its offsets. */
export interface TextProblem {
  readonly from: number;
  readonly to: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}
