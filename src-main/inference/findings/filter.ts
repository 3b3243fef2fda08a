/** Whether a result has enough confidence to be reported. */
export type Filter = (label: string, confidence: number) => boolean;

/** As a vision service is configured. */
export interface ConfidenceLimits {
  readonly label_confidences?: Readonly<Record<string, unknown>> | undefined;
  readonly default_minimum_confidence?: number | undefined;
}

/** By the confidence configured for the label (case does not matter), else by the general one. */
export function filterOf({
  label_confidences: byLabel,
  default_minimum_confidence: least = 0,
}: ConfidenceLimits): Filter {
  if (byLabel === undefined || Object.keys(byLabel).length === 0) return (_label, confidence) => confidence >= least;
  const leastOf = new Map(Object.entries(byLabel).map(([label, value]) => [label.toLowerCase(), Number(value)]));
  return (label, confidence) => confidence >= (leastOf.get(label.toLowerCase()) ?? Infinity);
}
