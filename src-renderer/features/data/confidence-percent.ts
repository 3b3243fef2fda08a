/** A confidence in percent, rounded; 100 only for a confidence of 1. */
export function confidencePercent(confidence: number): number {
  const percent = Math.round(confidence * 100);
  return percent === 100 && confidence < 1 ? 99 : percent;
}
