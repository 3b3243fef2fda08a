/** A confidence as people read it, rounded down so that 100 % is sure. */
export function formatPercent(confidence: number): string {
  return `${Math.floor(confidence * 100)} %`;
}
