/** Something wrong in a text, at offsets in it. */
export interface TextProblem {
  readonly from: number;
  readonly to: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}
